// Map, metrics and topology share one service. Topology is last: it creates and deploys links.
// Static imports of modules that await would register their tests in any order.
await import('./map-suite.ts');
await import('./metrics-page-suite.ts');
await import('./metrics-year-suite.ts');
await import('./topology-suite.ts');
