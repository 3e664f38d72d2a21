import { Page } from '../../components/Page.tsx';
import { ConnectorTable, NewConnectorButton } from '../../features/connectors/ConnectorTable.tsx';

export default function ConnectorsPage() {
  return (
    <Page
      title="Connectors"
      about="Connections to cloud providers and to your own sites"
      actions={<NewConnectorButton />}
    >
      <ConnectorTable />
    </Page>
  );
}
