// Outgoing mail: through SMTP, or without an SMTP server as .eml files in a folder.
import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { headerText } from './header-text.ts';
import { describeSmtpFailure, redactReply } from './smtp-failure.ts';

export interface Mail {
  to: string;
  subject: string;
  text: string;
}

export interface Mailer {
  /** Resolves to the reply of the mail server, or to the name of the file. */
  send(mail: Mail): Promise<string>;
  close(): void;
}

/**
 * Composes the message by hand, because mail libraries fold long lines (quoted-printable) and would split a token in
 * the source of the mail.
 */
export function composeMessage(from: string, mail: Mail): string {
  for (const part of [from, mail.to, mail.subject])
    if (/[\r\n]/.test(part)) throw new Error('A mail header contains a line break');
  const headers = [
    `From: ${from}`,
    `To: ${mail.to}`,
    `Subject: ${headerText(mail.subject)}`,
    `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${randomUUID()}@patchbay>`,
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
  ];
  return `${headers.join('\n')}\n\n${mail.text}`;
}

function smtpMailer(url: string, from: string): Mailer {
  const transport = createTransport({ url, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 });
  return {
    async send(mail) {
      const raw = composeMessage(from, mail).replaceAll('\n', '\r\n');
      const sent = await transport.sendMail({ envelope: { from, to: mail.to }, raw }).catch((error) => {
        throw describeSmtpFailure(error, url, mail.to);
      });
      return redactReply(sent.response, url, mail.to);
    },
    close: () => transport.close(),
  };
}

function outboxMailer(folder: string, from: string): Mailer {
  return {
    async send(mail) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`;
      await writeFile(join(folder, `.${name}`), composeMessage(from, mail), { mode: 0o600 });
      await rename(join(folder, `.${name}`), join(folder, name));
      return join(folder, name);
    },
    close: () => undefined,
  };
}

export const createMailer = (options: { smtpUrl: string | undefined; outbox: string; from: string }): Mailer =>
  options.smtpUrl ? smtpMailer(options.smtpUrl, options.from) : outboxMailer(options.outbox, options.from);

/** Counts each attempt to send a mail. */
export const countMails = (mailer: Mailer, count: (result: 'sent' | 'failed') => void): Mailer => ({
  ...mailer,
  async send(mail) {
    try {
      const reply = await mailer.send(mail);
      count('sent');
      return reply;
    } catch (error) {
      count('failed');
      throw error;
    }
  },
});
