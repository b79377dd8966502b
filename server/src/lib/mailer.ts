/** A letter of plain text. */
interface Letter {
  to: string;
  subject: string;
  text: string;
}

export type Mailer = (letter: Letter) => Promise<void>;

/** Somebody waits for the answer meanwhile. */
const TIMEOUT_MS = 10_000;

/** What sends letters by an SMTP server; the library is loaded with the first one. */
export function createMailer({ smtpUrl, from }: { smtpUrl: string; from: string }): Mailer {
  return async (letter) => {
    const { createTransport } = await import('nodemailer');
    const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
    const transport = createTransport({ url: smtpUrl, ...timeouts });
    try {
      await transport.sendMail({ from, ...letter });
    } finally {
      transport.close();
    }
  };
}
