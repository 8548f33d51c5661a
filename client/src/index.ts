export { createClient, type Client } from "./client.ts";
export type { OnProgress } from "@aos/protocol";
export type { FetchLike, ResponseLike } from "./fetch-like.ts";
