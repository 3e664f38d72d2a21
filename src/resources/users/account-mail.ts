// Mails that tell a user of a changed password or e-mail address. They go to the address from before the change.
import { greeting } from '../../mail/greeting.ts';
import type { Mail } from '../../mail/mailer.ts';
import { fullName } from '../tokens/rules.ts';
import type { UserRow } from './store.ts';

export interface CredentialChange {
  password: boolean;
  email: boolean;
  /** The address that the request came from. */
  clientAddress: string;
  isByUser: boolean;
}

export function credentialChangeMail(before: UserRow, change: CredentialChange, now: Date): Mail {
  const what = [change.password && 'password', change.email && 'e-mail address'].filter(Boolean).join(' and ');
  const by = change.isByUser ? '' : ' by another user';
  return {
    to: before.email,
    subject: `Your Patchbay ${what} ${change.password && change.email ? 'were' : 'was'} changed`,
    text: [
      greeting(fullName(before.first_name, before.last_name)),
      '',
      `the ${what} of your Patchbay account ${change.password && change.email ? 'were' : 'was'} changed${by}.`,
      '',
      `Time:    ${now.toISOString().slice(0, 19).replace('T', ' ')} UTC`,
      `Address: ${change.clientAddress}`,
      '',
      'If you did not expect this, tell an admin of your organisation at once.',
      '',
    ].join('\n'),
  };
}
