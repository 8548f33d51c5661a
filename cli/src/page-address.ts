// The page's address, with a key in it that opens it once: for people at a terminal, never for programs.

import type { Client } from "@aos/client";

/** Null while the daemon does not listen on HTTP. */
export const pageAddress = async (client: Client): Promise<string | null> =>
  (await client.loginKey()).url;
