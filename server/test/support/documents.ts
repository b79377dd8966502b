import assert from 'node:assert/strict';

/** The commands of a document with their output. Requests must be in console blocks. */
export function stepsOf(text: string): string[] {
  const isConsole = ({ language }: Block) => language === 'console';
  for (const { content } of blocksOf(text).filter((block) => !isConsole(block))) {
    assert.doesNotMatch(content, /\bcurl\b/, 'curl outside a console block is never tested');
  }
  return blocksOf(text)
    .filter(isConsole)
    .flatMap(({ content }) => content.split(/^\$ /m).slice(1));
}

export interface Block {
  language: string;
  content: string;
}

export function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^```(\w*)\n(.*?)^```/gms)].map(([, language = '', content = '']) => ({
    language,
    content,
  }));
}
