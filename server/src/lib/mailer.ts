import type { Transporter } from 'nodemailer';

interface Mail {
  to: string;
  subject: string;
  text: string;
}

export type Mailer = (mail: Mail) => Promise<void>;

/** Short, since a request waits for the mail server. */
const TIMEOUT_MS = 10_000;

/** Sends mail through an SMTP server; the first message loads the library. */
export function createMailer({ smtpUrl, from }: { smtpUrl: string; from: string }): Mailer {
  return (mail) => withTransport(smtpUrl, (transport) => transport.sendMail({ from, ...mail }));
}

/** Connects to the mail server and signs in, without sending anything. @throws {Error} */
export async function verifyMailServer(smtpUrl: string): Promise<void> {
  await withTransport(smtpUrl, (transport) => transport.verify());
}

async function withTransport(smtpUrl: string, work: (transport: Transporter) => Promise<unknown>): Promise<void> {
  const { createTransport } = await import('nodemailer');
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  const transport = createTransport({ url: smtpUrl, ...timeouts });
  try {
    await work(transport);
  } finally {
    transport.close();
  }
}
