// Says in one sentence why a mail server did not accept a mail. The sentence goes to the log, so it contains no secret: a
// server may repeat what it refuses, such as the link with the reset token that a content filter objects to.
import { OperatorError } from '../errors/operator-error.ts';

interface SmtpError extends Error {
  /** The SMTP command that failed, such as `RCPT TO` or `AUTH PLAIN`. */
  command?: string;
  /** The server's reply to it. */
  response?: string;
}

const maxLength = 300;
const tokenPattern = /\bpb[a-z]_\w+/g;

const refusedParts: [RegExp, string][] = [
  [/^AUTH/, 'the user name or password of PATCHBAY_SMTP_URL'],
  [/^MAIL FROM/, 'the sender of PATCHBAY_MAIL_FROM'],
  [/^RCPT TO/, 'the recipient'],
  [/^DATA/, 'the mail'],
];

/** The password as it is, and in the forms in which SMTP transmits it. */
function passwordForms({ username, password }: URL): string[] {
  if (!password) return [];
  const [user, plain] = [decodeURIComponent(username), decodeURIComponent(password)];
  const encoded = [plain, `\0${user}\0${plain}`].map((text) => Buffer.from(text).toString('base64'));
  return [password, plain, ...encoded];
}

/** On one line, without the password, tokens and the recipient's address. */
export function redactReply(reply: string, smtpUrl: string, recipient: string): string {
  let text = reply.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  for (const form of passwordForms(new URL(smtpUrl))) text = text.replaceAll(form, '…');
  return text.replaceAll(tokenPattern, '…').replaceAll(recipient, 'recipient').slice(0, maxLength);
}

export function describeSmtpFailure(error: SmtpError, smtpUrl: string, recipient: string): OperatorError {
  const server = `The mail server ${new URL(smtpUrl).host}`;
  const { response, command = '' } = error;
  if (/wrong version number/.test(error.message))
    return new OperatorError(
      `${server} does not speak TLS on this port. Use smtp:// in PATCHBAY_SMTP_URL, which changes to TLS by STARTTLS, ` +
        'or the port for smtps://, which is usually 465.',
    );
  if (!response)
    return new OperatorError(
      `${server} cannot be used: ${redactReply(error.message, smtpUrl, recipient)}. Check PATCHBAY_SMTP_URL.`,
    );
  const part = refusedParts.find(([pattern]) => pattern.test(command))?.[1] ?? 'the connection';
  return new OperatorError(`${server} refused ${part}: ${redactReply(response, smtpUrl, recipient)}`);
}
