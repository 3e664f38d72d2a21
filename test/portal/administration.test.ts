// Audit, capacity, users and sign-in share one service. Sign-in is last: it resets a password of the demo world.
import './audit-suite.ts';
import './capacity-suite.ts';
import './users-suite.ts';
import './auth-suite.ts';
