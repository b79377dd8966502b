import type { World } from './accounts.ts';
import type { Tally } from './tally.ts';
import { TEXTS, textsAround } from './texts.ts';
import { TextsDesk } from './texts-desk.ts';
import { MEMBER, PLACES, putByText, storeForms, storeText } from './texts-fields.ts';
import { readBack } from './texts-files.ts';
import { askByText, askWithText, findByText } from './texts-parameters.ts';
import { NAME, typeText } from './texts-people.ts';

/** What an export must guard, and a second time if it is guarded already. */
const ALWAYS = new Set(['=1+1', "'=1"]);

/** Every text in every place, on one engine. */
export class TextsTrial {
  readonly #desk: TextsDesk;

  constructor(world: World, tally: Tally) {
    this.#desk = new TextsDesk(world, tally);
  }

  /** What became of each text, for the comparison of engines. */
  get fates(): readonly string[] {
    return this.#desk.fates;
  }

  /** One of each `share` texts. */
  async run(share: number): Promise<void> {
    const lengths = [...new Set([...Object.values(PLACES), NAME, MEMBER].map(({ lengthMax }) => lengthMax))];
    const all = [...Object.values(TEXTS).flat(), ...lengths.flatMap(textsAround)];
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
