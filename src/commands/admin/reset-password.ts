// npm run admin -- reset-password.
import { createMailQueues, resetQueue } from '../../bootstrap/workers.ts';
import { OperatorError } from '../../errors/operator-error.ts';
import { startJobs } from '../../jobs/job-queue.ts';
import { issueResetTokenFor, requestResetFor, resetLink } from '../../resources/sessions/password-reset.ts';
import type { AccountRow } from '../../resources/users/store.ts';
import { urlOf } from '../../settings.ts';
import type { Database } from '../../store/database.ts';
import { printToStderr } from '../cli.ts';
import { type AdminContext, actor, applyChange, findAccount, requireFlag, type Subcommand } from './subcommand.ts';

async function findEnabledAccount(context: AdminContext, database: Database): Promise<AccountRow> {
  const account = await findAccount(database, requireFlag(context, 'email'));
  if (!account.enabled)
    throw new OperatorError(
      `${account.email} is disabled and cannot set a password. Enable the user first: npm run admin -- enable.`,
    );
  return account;
}

async function printLink(context: AdminContext): Promise<void> {
  const { keys, settings, switches } = context;
  let token = '';
  await applyChange(context, async (database) => {
    const account = await findEnabledAccount(context, database);
    token = await issueResetTokenFor(database, keys, actor, account);
    return [`user ${account.email}: a link that sets a new password, once, within 15 minutes, is issued`];
  });
  if (switches.has('dry-run')) return;
  console.log(resetLink(settings.baseUrl?.replace(/\/$/, '') ?? urlOf(settings.host, settings.port), token));
}

async function sendMail(context: AdminContext): Promise<void> {
  const { keys, databaseUrl, asOwner, switches } = context;
  const isDryRun = switches.has('dry-run');
  const observer = {
    onError: (error: Error) => printToStderr(`Job queue: ${error.message}`),
    // The command only stores jobs; the service runs them.
    onFailedAttempt: () => undefined,
  };
  const jobs = isDryRun ? undefined : await startJobs(databaseUrl, asOwner, [{ name: resetQueue }], observer);
  try {
    await applyChange(context, async (database) => {
      const account = await findEnabledAccount(context, database);
      const enqueue = jobs ? createMailQueues(jobs, keys).enqueueResetMail : async () => undefined;
      await requestResetFor(database, enqueue, actor, account);
      return [`user ${account.email}: a mail with a link that sets a new password is queued; the service sends it`];
    });
  } finally {
    await jobs?.stop();
  }
}

export const resetPassword: Subcommand = {
  usage: `npm run admin -- reset-password --email ADDRESS [--print] [--dry-run] [settings]

Sends the user the usual mail with a link that sets a new password, once, within 15 minutes. The current password, the
sessions and the tokens stay valid until the user sets the new one; admin -- sessions end ends them at once.

  --print     sends no mail and prints the link: give it to the user over a channel that you trust. Set
              PATCHBAY_BASE_URL to the public URL of the service.
  --dry-run   prints what would change, and changes nothing`,
  flags: ['email'],
  switches: ['print', 'dry-run'],
  run: (context) => (context.switches.has('print') ? printLink(context) : sendMail(context)),
};
