// npm run admin -- users, unlock, disable, enable, sessions end.
import { OperatorError } from '../../errors/operator-error.ts';
import { Problem } from '../../errors/problems.ts';
import { scopeOfOrganisation } from '../../resources/organisations/operations.ts';
import { fullName } from '../../resources/tokens/rules.ts';
import { countTokensOf } from '../../resources/tokens/store.ts';
import { listLockouts } from '../../resources/users/login-store.ts';
import { lockUserForUpdate } from '../../resources/users/operations.ts';
import { endSessionsOf, setUserEnabled, unlockUser } from '../../resources/users/operator-operations.ts';
import { listUserIds, listUsers, type UserRow } from '../../resources/users/store.ts';
import { allTenants, type Database, type Scope, setTenant } from '../../store/database.ts';
import { wireTimestamp, wireTimestampOrNull } from '../../values/timestamps.ts';
import { findOrganisation } from '../find-organisation.ts';
import { readOrganisations } from './organisations.ts';
import {
  type AdminContext,
  actor,
  applyChange,
  ChangeReport,
  change,
  count,
  findAccount,
  requireFlag,
  type Subcommand,
  scopeOf,
} from './subcommand.ts';

const pageSize = 500;

async function describeUsers(database: Database, scope: Scope, organisation: string, rows: UserRow[]) {
  const ids = rows.map(({ id }) => id);
  const tokens = new Map((await countTokensOf(database, scope, ids)).map((row) => [row.user_id, row]));
  const lockouts = new Map((await listLockouts(database, scope, ids)).map((row) => [row.user_id, row.locked_until]));
  return rows.map((user) => ({
    id: user.id,
    email: user.email,
    name: fullName(user.first_name, user.last_name),
    role: user.role,
    organisation,
    enabled: user.enabled,
    lockedUntil: wireTimestampOrNull(lockouts.get(user.id) ?? null),
    lastLoginAt: wireTimestampOrNull(user.last_login_at),
    sessions: tokens.get(user.id)?.sessions ?? 0,
    personalTokens: tokens.get(user.id)?.personal_tokens ?? 0,
  }));
}

type UserSummary = Awaited<ReturnType<typeof describeUsers>>[number];

function formatUser({ email, name, role, enabled, lockedUntil, lastLoginAt, sessions }: UserSummary): string {
  const state = enabled ? (lockedUntil ? `locked until ${lockedUntil}` : 'enabled') : 'disabled';
  const lastLogin = lastLoginAt ? `last sign-in ${lastLoginAt.slice(0, 19)}Z` : 'never signed in';
  return `  ${email.padEnd(36)}${name.padEnd(28)}${role.padEnd(16)}${state}, ${lastLogin}, ${count(sessions, 'session')}`;
}

async function listUsersOf(context: AdminContext, scope: Scope, organisation: string): Promise<void> {
  const { store, switches } = context;
  const isJson = switches.has('json');
  if (!isJson) console.log(`${organisation} (${scope.organisationId})`);
  for (let offset = 0; ; offset += pageSize) {
    const users = await store.read(scope, async (database) =>
      describeUsers(
        database,
        scope,
        organisation,
        (await listUsers(database, scope, { limit: pageSize, offset })).rows,
      ),
    );
    for (const user of users) console.log(isJson ? JSON.stringify(user) : formatUser(user));
    if (users.length < pageSize) return;
  }
}

export const users: Subcommand = {
  usage: `npm run admin -- users [--organisation NAME|ID] [--json] [settings]

Lists the users of one organisation or of all, with state, lockout, last sign-in and open sessions.

  --json   prints one JSON object for each user, in a line of its own`,
  flags: ['organisation'],
  switches: ['json'],
  async run(context) {
    const { store } = context;
    const { organisation } = context.flags;
    if (organisation !== undefined) {
      const scope = await store.read(allTenants, (database) => findOrganisation(database, organisation));
      return listUsersOf(context, scope, scope.name);
    }
    for await (const one of readOrganisations(store)) await listUsersOf(context, scopeOfOrganisation(one), one.name);
  },
};

/** Runs the change of one user, who is locked, as the tenant of the user's organisation. */
const changeUser = (
  context: AdminContext,
  work: (database: Database, scope: Scope, user: UserRow) => Promise<string[]>,
): Promise<void> =>
  applyChange(context, async (database) => {
    const account = await findAccount(database, requireFlag(context, 'email'));
    const scope = scopeOf(account);
    await setTenant(database, scope);
    return work(database, scope, await lockUserForUpdate(database, scope, account.id, true));
  });

const dryRunHelp = '  --dry-run   prints what would change, and changes nothing';

export const unlock: Subcommand = {
  usage: `npm run admin -- unlock --email ADDRESS [--dry-run] [settings]

Ends the lockout of a user after failed sign-ins. Passwords and sessions stay as they are.

${dryRunHelp}`,
  flags: ['email'],
  switches: ['dry-run'],
  run: (context) =>
    changeUser(context, async (database, scope, user) => {
      const lockedUntil = await unlockUser(database, scope, actor, user);
      return lockedUntil ? [`user ${user.email}: the lockout until ${wireTimestamp(lockedUntil)} ends`] : [];
    }),
};

async function setEnabled(context: AdminContext, enabled: boolean): Promise<void> {
  await changeUser(context, async (database, scope, user) => {
    if (user.enabled === enabled) return [];
    const [tokens] = await countTokensOf(database, scope, [user.id]);
    await setUserEnabled(database, scope, actor, user, enabled, context.switches.has('last-admin')).catch((error) => {
      if (!(error instanceof Problem) || error.code !== 'LastAdmin') throw error;
      throw new OperatorError(
        `${user.email} is the last enabled admin of the organisation. Give another user the role admin first, ` +
          'or add --last-admin.',
      );
    });
    const lines = [`user ${user.email}: enabled ${!enabled} → ${enabled}`];
    if (!enabled && tokens)
      lines.push(
        `user ${user.email} loses ${count(tokens.sessions, 'session')} and ` +
          `${count(tokens.personal_tokens, 'personal token')}`,
      );
    return lines;
  });
}

export const disable: Subcommand = {
  usage: `npm run admin -- disable --email ADDRESS [--last-admin] [--dry-run] [settings]

Disables a user: sessions and tokens end at once, and the user cannot sign in until enabled again.

  --last-admin   also the last enabled admin of an organisation, which then has nobody who can administer it
  --dry-run      prints what would change, and changes nothing`,
  flags: ['email'],
  switches: ['last-admin', 'dry-run'],
  run: (context) => setEnabled(context, false),
};

export const enable: Subcommand = {
  usage: `npm run admin -- enable --email ADDRESS [--dry-run] [settings]

Enables a user that was disabled.

${dryRunHelp}`,
  flags: ['email'],
  switches: ['dry-run'],
  run: (context) => setEnabled(context, true),
};

/** In a transaction for each user: the locks on all users of a large organisation would fill the server's lock table. */
const endSessions = (context: AdminContext, scope: Scope, userId: string): Promise<string[]> =>
  change(context, async (database) => {
    const personal = context.switches.has('personal-tokens');
    await setTenant(database, scope);
    const user = await lockUserForUpdate(database, scope, userId, false);
    const { sessions, personalTokens } = await endSessionsOf(database, scope, actor, user, personal);
    if (sessions + personalTokens === 0) return [];
    const tokens = personal ? ` and ${count(personalTokens, 'personal token')}` : '';
    return [`user ${user.email} loses ${count(sessions, 'session')}${tokens}`];
  });

/** A user who was deleted meanwhile has no sessions. */
const endSessionsIfPresent = (context: AdminContext, scope: Scope, userId: string): Promise<string[]> =>
  endSessions(context, scope, userId).catch((error) => {
    if (error instanceof Problem && error.code === 'NotFound') return [];
    throw error;
  });

export const sessionsEnd: Subcommand = {
  usage: `npm run admin -- sessions end --email ADDRESS [--personal-tokens] [--dry-run] [settings]
npm run admin -- sessions end --organisation NAME|ID [--personal-tokens] [--dry-run] [settings]

Ends the sessions of a user, or of all users of an organisation, at once. They can sign in again.

  --personal-tokens   revokes the personal tokens too
  --dry-run           prints what would change, and changes nothing`,
  flags: ['email', 'organisation'],
  switches: ['personal-tokens', 'dry-run'],
  async run(context) {
    const { store, flags } = context;
    const { email, organisation } = flags;
    if ((email === undefined) === (organisation === undefined))
      throw new OperatorError('Give either --email or --organisation. --help describes the flags.');
    const report = new ChangeReport(context);
    if (email !== undefined) {
      const account = await store.read(allTenants, (database) => findAccount(database, email));
      report.add(await endSessions(context, scopeOf(account), account.id));
    } else {
      const scope = await store.read(allTenants, (database) => findOrganisation(database, organisation ?? ''));
      // From one snapshot: users who are deleted meanwhile would move others to a page that was read before.
      for (const id of await store.read(scope, (database) => listUserIds(database, scope)))
        report.add(await endSessionsIfPresent(context, scope, id));
    }
    report.end();
  },
};
