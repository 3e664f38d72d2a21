// What the main thread and the hashing workers share: the cost parameters and the request.

/** Parameters of argon2id, the default algorithm of @node-rs/argon2. */
export const argon2Cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

/** Asks for the hash of the password or, with a stored hash, whether the password matches it. */
export interface HashRequest {
  password: string;
  stored?: string;
}
