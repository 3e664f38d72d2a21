import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { freePort } from '../../test/harness/debian-postgres.ts';
import { basic, startFixture } from '../../test/harness/service.ts';
import { composeMessage } from './mailer.ts';

const received: { to: string[]; text: string }[] = [];
function startSmtp(port: number): Promise<SMTPServer> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        received.push({
          to: session.envelope.rcptTo.map((one) => one.address),
          text: Buffer.concat(chunks).toString('utf8'),
        });
        done();
      });
    },
  });
  server.on('error', () => undefined);
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
}

const port = await freePort();
const f = await startFixture([
  '--demo',
  'public',
  '--smtp-url',
  `smtp://127.0.0.1:${port}`,
  '--mail-from',
  'Patchbay <noc@meridian.example>',
  '--base-url',
  'https://portal.meridian.example/',
]);
const servers: SMTPServer[] = [];
after(async () => {
  for (const server of servers) server.close(() => undefined);
  await f.close();
});
const requestReset = (username: string) =>
  f.client.post('/auth/reset', { grant_type: 'client_credentials', scope: 'reset', username }, { basic });
const waitForMails = async (count: number) => {
  for (const until = Date.now() + 40_000; received.length < count && Date.now() < until; )
    await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(received.length >= count, 'the mail arrived');
};

test('a mail is retried until the SMTP server accepts it, and its token is valid', async () => {
  assert.equal((await requestReset('admin@meridian.example')).status, 200, 'the response does not wait for the mail');
  await new Promise((resolve) => setTimeout(resolve, 500));
  servers.push(await startSmtp(port));
  await waitForMails(1);
  const mail = received[0];
  assert.deepEqual(mail?.to, ['admin@meridian.example']);
  assert.match(mail?.text ?? '', /^From: Patchbay <noc@meridian\.example>/m);
  const token = mail?.text.split(/\r?\n/).find((line) => /^pbx_\w+$/.test(line));
  assert.match(mail?.text ?? '', /^https:\/\/portal\.meridian\.example\/portal\/new-password#pbx_\w+$/m);
  assert.equal((await f.client.put('/me/info', { password: 'velvet harbour ninety maples' }, { token })).status, 200);
});

test('a line break in a header is rejected', () => {
  assert.throws(
    () => composeMessage('a@b.example', { to: 'c@d.example\r\nBcc: evil@x.example', subject: 's', text: 't' }),
    /line break/,
  );
});
