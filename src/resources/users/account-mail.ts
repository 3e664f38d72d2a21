// Mails that tell a user of a changed password or e-mail address. They go to the address from before the change.
import { greeting } from '../../mail/greeting.ts';
import { type MailTexts, renderMail } from '../../mail/mail-texts.ts';
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

export function credentialChangeMail(texts: MailTexts, before: UserRow, change: CredentialChange, now: Date): Mail {
  const what = [change.password && 'password', change.email && 'e-mail address'].filter(Boolean).join(' and ');
  const verb = change.password && change.email ? 'were' : 'was';
  const values = {
    greeting: greeting(fullName(before.first_name, before.last_name)),
    what,
    changed: `${verb} changed${change.isByUser ? '' : ' by another user'}`,
    time: `${now.toISOString().slice(0, 19).replace('T', ' ')} UTC`,
    address: change.clientAddress,
  };
  return { to: before.email, ...renderMail(texts, 'accountChange', values) };
}
