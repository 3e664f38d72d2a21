import { Page } from '../../components/Page.tsx';
import { LinkTable, NewLinkButton } from '../../features/links/LinkTable.tsx';

export default function LinksPage() {
  return (
    <Page title="Links" about="Each link joins two connectors of a group" actions={<NewLinkButton />}>
      <LinkTable />
    </Page>
  );
}
