import { createServer, type Server, type Socket } from 'node:net';

/** An SMTP server that stores received mail. */
export interface MailServer {
  url: string;
  /** The received messages. */
  letters: string[];
  close(): void;
}

export async function startMailServer(): Promise<MailServer> {
  const letters: string[] = [];
  const server = createServer((socket) => answer(socket, letters));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `smtp://127.0.0.1:${portOf(server)}`, letters, close: () => server.close() };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The mail server has no port');
  return address.port;
}

/** The part of RFC 5321 that a client needs to send one message. */
function answer(socket: Socket, letters: string[]): void {
  let letter: string | undefined;
  let rest = '';
  socket.write('220 mail.example.com\r\n');
  socket.setEncoding('utf8').on('data', (text: string) => {
    rest += text;
    for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
      onLine(rest.slice(0, end));
      rest = rest.slice(end + 2);
    }
  });
  socket.on('error', () => socket.destroy());

  function onLine(line: string): void {
    if (letter !== undefined && line !== '.') {
      letter += `${line}\n`;
      return;
    }
    if (letter !== undefined) letters.push(letter);
    letter = line === 'DATA' ? '' : undefined;
    socket.write(line === 'DATA' ? '354 go on\r\n' : '250 ok\r\n');
    if (line === 'QUIT') socket.end();
  }
}
