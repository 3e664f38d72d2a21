/** A mistake that the operator can correct. Commands print its message without a stack trace. */
export class OperatorError extends Error {}
