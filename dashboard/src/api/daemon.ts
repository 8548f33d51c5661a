// Daemon: the typed client of the page, and the login. Page and API have one origin, so the session cookie is sent
// automatically and no script holds a token.

import { createClient, type FetchLike } from "@aos/client";
import { API_ROOT, isFailureCode, SysError, type FailureText } from "@aos/protocol/words";

const fetchHere: FetchLike = async (url, init) => {
  const response = await reach(url, init);
  // The page reads no streams through the client: what is live comes by event-stream.ts.
  return { status: response.status, text: () => response.text(), body: null };
};

export const daemon = createClient({ fetch: fetchHere, baseUrl: location.origin });

/** What nobody answered to: not a word of the daemon's, so that it can be told apart. */
export class DaemonConnectError extends Error {
  override readonly name = "NotReached";
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, credentials: "same-origin" });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new DaemonConnectError("the daemon does not answer");
  }
}

/** Opens a session with a token, or with the key of a login address. */
export async function logIn(given: { token: string } | { key: string }): Promise<void> {
  await session("POST", given);
}

export async function logOut(): Promise<void> {
  await session("DELETE");
}

async function session(method: "POST" | "DELETE", given?: object): Promise<void> {
  const response = await reach(`${API_ROOT}/session`, {
    method,
    headers: given === undefined ? {} : { "content-type": "application/json" },
    ...(given === undefined ? {} : { body: JSON.stringify(given) }),
  });
  if (response.ok) return;
  const problem = (await response.json().catch(() => ({}))) as Partial<FailureText>;
  const code = isFailureCode(problem.code ?? "") ? problem.code! : "EINTERNAL";
  throw new SysError(code, problem.message ?? `HTTP ${response.status}`, { hint: problem.hint });
}

/** Takes the key out of the address that the terminal printed, so that it stays in no history. */
export function takeKey(): string | undefined {
  const key = new URLSearchParams(location.hash.slice(1)).get("key") ?? undefined;
  if (key !== undefined) history.replaceState(null, "", location.pathname + location.search);
  return key;
}
