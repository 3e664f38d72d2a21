// What an operator notices of a mail server that refuses: the log, the metrics and npm run mail, against a real SMTP server.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { freePort } from '../../test/harness/debian-postgres.ts';
import { eventually } from '../../test/harness/deployable-group.ts';
import { cleanEnvironment, root } from '../../test/harness/process.ts';
import { basic, fixture } from '../../test/harness/service.ts';

const password = 'smtp-pass/word#7';
const port = await freePort();
const url = `smtp://noc:${encodeURIComponent(password)}@127.0.0.1:${port}`;
/** What the server refuses. It repeats what it refuses, as content filters and careless servers do. */
let refused: 'AUTH' | 'RCPT' | 'DATA' | 'nothing' = 'DATA';
let isHanging = false;
const refusal = (responseCode: number, message: string): Error => Object.assign(new Error(message), { responseCode });

const server = new SMTPServer({
  disabledCommands: ['STARTTLS'],
  closeTimeout: 500,
  allowInsecureAuth: true,
  onAuth: ({ username = '', password: given = '' }, _session, done) =>
    refused === 'AUTH'
      ? done(refusal(535, `5.7.8 wrong password ${given} (${Buffer.from(given ?? '').toString('base64')})`))
      : done(null, { user: username }),
  onRcptTo: ({ address }, _session, done) =>
    refused === 'RCPT' ? done(refusal(550, `5.1.1 <${address}>: user unknown`)) : done(),
  async onData(stream, _session, done) {
    if (isHanging) return;
    const link = /\S*pbx_\S+/.exec(await text(stream))?.[0] ?? 'no link';
    refused === 'DATA' ? done(refusal(554, `5.7.1 rejected for its link ${link}`)) : done(null, 'queued as 4711');
  },
});
server.on('error', () => undefined);
server.listen(port, '127.0.0.1');
after(() => new Promise<void>((resolve) => server.close(resolve)));

const f = await fixture(['--smtp-url', url, '--monitor-port', '0']);
const requestReset = async () => {
  const reset = { grant_type: 'client_credentials', scope: 'reset', username: 'admin@meridian.example' };
  assert.equal((await f.client.post('/auth/reset', reset, { basic })).status, 200);
};
/** The log lines about failed jobs, once there are as many as expected. */
const failures = (count: number) =>
  eventually(
    async () => f.logs.map((line) => JSON.parse(line)).filter(({ queue }) => queue === 'reset-mail'),
    (lines) => lines.length >= count,
  );

test('a mail that the server refuses is logged at each attempt and counted, without its token', async () => {
  await f.owner.query(
    `update pgboss.queue set retry_limit = 2, retry_delay = 1, retry_backoff = false where name = 'reset-mail'`,
  );
  await requestReset();
  const found = await failures(3);
  const reason = `The mail server 127.0.0.1:${port} refused the mail: 554 5.7.1 rejected for its link`;
  for (const [index, { level, attempt, attempts, msg, jobId }] of found.entries()) {
    assert.deepEqual({ level, attempt, attempts }, { level: index < 2 ? 40 : 50, attempt: index + 1, attempts: 3 });
    assert.ok(msg.startsWith(`job of queue reset-mail failed, attempt ${index + 1} of 3: ${reason}`), msg);
    assert.match(msg, index < 2 ? /; retrying$/ : /; given up$/);
    assert.match(jobId, /^[0-9a-f-]{36}$/);
  }
  for (const secret of ['pbx_', password, encodeURIComponent(password), Buffer.from(password).toString('base64')])
    assert.ok(!f.logs.some((line) => line.includes(secret)), `the log contains ${secret}`);
  const metrics = await (await fetch(`http://127.0.0.1:${f.service.monitorPort}/metrics`)).text();
  for (const line of [
    'patchbay_jobs_failed_total{queue="reset-mail"} 3',
    'patchbay_jobs_given_up_total{queue="reset-mail"} 1',
    'patchbay_jobs_failed_total{queue="deploy"} 0',
    'patchbay_mails_total{result="failed"} 3',
    'patchbay_mails_total{result="sent"} 0',
  ])
    assert.ok(metrics.split('\n').includes(line), `the metrics do not contain ${line}`);
});

test('a mail server that does not answer is logged too', async () => {
  isHanging = true;
  await f.owner.query(`update pgboss.queue set retry_limit = 0, expire_seconds = 1 where name = 'reset-mail'`);
  await requestReset();
  const { level, msg } = (await failures(4)).at(-1);
  isHanging = false;
  const reason = 'It took longer than 1 s, or the service was stopped';
  assert.equal(msg, `job of queue reset-mail failed, attempt 1 of 1: ${reason}; given up`);
  assert.equal(level, 50);
});

async function runMail(args: string[], env: Record<string, string> = { PATCHBAY_SMTP_URL: url }) {
  const child = spawn(process.execPath, [join(root, 'src/commands/mail.ts'), ...args], { env: cleanEnvironment(env) });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  for (const secret of [password, encodeURIComponent(password), Buffer.from(password).toString('base64')])
    assert.ok(!`${stdout}${stderr}`.includes(secret), 'the output contains the password');
  return { code, stdout, stderr };
}

test('npm run mail -- test prints what the server answered, and its exit code says whether it accepted', async () => {
  const address = 'ops@meridian.example';
  refused = 'nothing';
  const accepted = await runMail(['test', address]);
  assert.equal(accepted.stdout, `The mail server 127.0.0.1:${port} accepted the mail: 250 queued as 4711\n`);
  assert.equal(accepted.code, 0);
  for (const [what, sentence] of [
    ['AUTH', 'refused the user name or password of PATCHBAY_SMTP_URL: 535 5.7.8 wrong password … (…)'],
    ['RCPT', 'refused the recipient: 550 5.1.1 <recipient>: user unknown'],
    ['DATA', 'refused the mail: 554 5.7.1 rejected for its link no link'],
  ] as const) {
    refused = what;
    const { code, stdout, stderr } = await runMail(['test', address]);
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.ok(stderr.endsWith(`The mail was not sent.\nThe mail server 127.0.0.1:${port} ${sentence}\n`), stderr);
  }
});

test('npm run mail -- test says what is wrong with its settings and arguments', async () => {
  const closed = await freePort();
  const unreachable = await runMail(['test', 'a@b.example'], { PATCHBAY_SMTP_URL: `smtp://127.0.0.1:${closed}` });
  assert.match(
    unreachable.stderr,
    /cannot be used: connect ECONNREFUSED 127\.0\.0\.1:\d+\. Check PATCHBAY_SMTP_URL\.\n$/,
  );
  const unset = await runMail(['test', 'a@b.example'], {});
  assert.match(unset.stderr, /No mail server is set\. Set PATCHBAY_SMTP_URL;/);
  const noAddress = await runMail(['test', 'nobody']);
  assert.match(noAddress.stderr, /address must be an e-mail address/);
  const noVerb = await runMail([]);
  assert.match(noVerb.stderr, /Expected: npm run mail -- test ADDRESS/);
  for (const { code } of [unreachable, unset, noAddress, noVerb]) assert.equal(code, 1);
});
