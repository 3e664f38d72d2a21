import { DescriptionList } from '../../components/DescriptionList.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import type { User } from './user-draft.ts';

export const SignInHistory = ({ user: { login } }: { user: User }) => (
  <DescriptionList
    title="Sign-ins"
    items={[
      ['Last', <RelativeTime key="last" timestamp={login.lastLoginAt} />],
      ['First', <RelativeTime key="first" timestamp={login.firstLoginAt} />],
      ['First client address', login.ipFirstLogin],
      ['First user agent', login.userAgentFirstLogin],
      ['Count', login.numberLogin.toLocaleString('en')],
      ['Failed', login.numberFaileLogin.toLocaleString('en')],
      ['Last failed', <RelativeTime key="failed" timestamp={login.lastFailedLoginAt} />],
    ]}
  />
);
