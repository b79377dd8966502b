const LINE_END = 0x0a;
/** The maximum length of a line with a chunk size. Valid lines are shorter. */
const SIZE_LINE_MAX = 64;

/**
 * Decodes the chunked transfer coding (RFC 9112 §7.1) of a body that arrives in pieces.
 * @param onData receives views into the piece
 * @returns a function that reads a piece and returns whether the body has ended
 */
export function unchunk(onData: (bytes: Buffer) => void): (piece: Buffer) => boolean {
  let left = 0;
  let line = '';

  /** Reads a line with a chunk size, or the empty line after a chunk. @returns where the line ends in the piece */
  function readLine(piece: Buffer, from: number): number {
    const end = piece.indexOf(LINE_END, from);
    const to = end === -1 ? piece.length : end + 1;
    line += piece.toString('latin1', from, to);
    if (line.length > SIZE_LINE_MAX) throw new Error(`not a chunk size: ${line}`);
    return to;
  }

  return (piece) => {
    let at = 0;
    while (at < piece.length) {
      if (left === 0) {
        at = readLine(piece, at);
        if (!line.endsWith('\n')) return false;
        const size = line.trimEnd();
        line = '';
        if (size === '') continue;
        left = Number.parseInt(size, 16);
        if (left === 0) return true;
        if (Number.isNaN(left)) throw new Error(`not a chunk size: ${size}`);
      }
      const taken = Math.min(left, piece.length - at);
      onData(piece.subarray(at, at + taken));
      at += taken;
      left -= taken;
    }
    return false;
  };
}
