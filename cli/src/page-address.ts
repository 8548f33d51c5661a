// The address of the page with a one-time key: for people at a terminal, never for programs.

import type { Client } from "@aos/client";

/** Null while the daemon does not listen on HTTP. */
export const pageAddress = async (client: Client): Promise<string | null> =>
  (await client.loginKey()).url;
