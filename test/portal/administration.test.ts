// Audit, capacity, users and sign-in share one service. Sign-in is last: it resets a password of the demo world.
// Static imports of modules that await would register their tests in any order.
await import('./audit-suite.ts');
await import('./capacity-suite.ts');
await import('./users-suite.ts');
await import('./auth-suite.ts');
