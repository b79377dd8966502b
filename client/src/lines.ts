/** Cuts bytes as they come into lines, as many as each piece completes; what stands after the last line feed is one, too. */
export async function* toLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[], void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    // Only what is new is looked through: a line may come in a thousand pieces.
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    const lines = [rest + first, ...others];
    rest = lines.pop() ?? '';
    yield lines;
  }
  if (rest !== '') yield [rest];
}
