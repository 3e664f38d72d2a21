// Map, metrics and topology share one service. Topology is last: it creates and deploys links.
import './map-suite.ts';
import './metrics-page-suite.ts';
import './metrics-year-suite.ts';
import './topology-suite.ts';
