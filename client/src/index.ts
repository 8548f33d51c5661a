export { createClient, type Client } from "./client.ts";
export type { FetchLike, ResponseLike } from "./fetch-like.ts";
