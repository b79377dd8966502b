import type { World } from './accounts.ts';
import type { Tally } from './tally.ts';
import { TEXTS, textsAround } from './texts.ts';
import { TextsDesk } from './texts-desk.ts';
import { MEMBER, PLACES, putByText, storeForms, storeText } from './texts-fields.ts';
import { readBack } from './texts-files.ts';
import { askByText, askWithText, findByText } from './texts-parameters.ts';
import { NAME, typeText } from './texts-people.ts';

/** A formula, and a text that is already escaped. */
const ALWAYS = new Set(['=1+1', "'=1"]);

export class TextsTrial {
  readonly #desk: TextsDesk;

  constructor(world: World, tally: Tally) {
    this.#desk = new TextsDesk(world, tally);
  }

  get fates(): readonly string[] {
    return this.#desk.fates;
  }

  async run(share: number): Promise<void> {
    const lengths = [...new Set([...Object.values(PLACES), NAME, MEMBER].map(({ lengthMax }) => lengthMax))];
    const all = [...TEXTS, ...lengths.flatMap(textsAround)];
    const some = all.filter((each, index) => index % share === 0 || ALWAYS.has(each));
    for (const [index, text] of some.entries()) {
      await putByText(this.#desk, text);
      const names = await storeText(this.#desk, text);
      await storeForms(this.#desk, text);
      await findByText(this.#desk, text, names);
      await askByText(this.#desk, text);
      await typeText(this.#desk, text, index);
      await askWithText(this.#desk, text);
    }
    await readBack(this.#desk);
  }
}
