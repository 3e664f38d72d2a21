// npm run mail -- test ADDRESS: sends a test mail with the settings of the service and prints the server's reply.
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { loadBrand } from '../brand-file.ts';
import { providers } from '../connector-kinds/providers.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { checkBody } from '../http/request/validation.ts';
import { renameSender } from '../mail/header-text.ts';
import { renderTemplate } from '../mail/mail-texts.ts';
import { createMailer } from '../mail/mailer.ts';
import { emailSchema } from '../resources/users/wire.ts';
import { parseCommandLine, printToStderr, runCommand } from './cli.ts';

const usage = `npm run mail -- test ADDRESS [settings]

Sends a test mail with the mail settings and the brand of the service, and prints the reply of the mail server. The exit
code is 1 if the server does not accept the mail.`;
const template = {
  subject: '{name} test mail',
  text: '{name} on {host} can send mail through {server}.',
};
const inputSchema = Type.Object({ address: emailSchema });

async function main(): Promise<void> {
  const input = parseCommandLine(usage, []);
  if (!input) return;
  const { settings, positionals } = input;
  const [verb, to, ...rest] = positionals;
  if (verb !== 'test' || to === undefined || rest.length)
    throw new OperatorError('Expected: npm run mail -- test ADDRESS [settings]');
  const { address } = checkBody(inputSchema, { address: to }) as Static<typeof inputSchema>;
  const { smtpUrl, mailFrom, data } = settings;
  const { mailSender, mailTexts } = await loadBrand(settings.brand, providers);
  const from = renameSender(mailFrom, mailSender);
  const outbox = join(data, 'outbox');
  if (!smtpUrl)
    throw new OperatorError(
      `No mail server is set. Set PATCHBAY_SMTP_URL; without it the service writes its mails to ${outbox}.`,
    );
  const server = new URL(smtpUrl).host;
  const mailer = createMailer({ smtpUrl, outbox, from });
  printToStderr(`  … sending from ${mailSender ?? from} through ${server}`);
  try {
    const reply = await mailer.send({
      to: address,
      ...renderTemplate(mailTexts, template, { host: hostname(), server }),
    });
    console.log(`The mail server ${server} accepted the mail: ${reply}`);
  } finally {
    mailer.close();
  }
}

runCommand('The mail was not sent.', main);
