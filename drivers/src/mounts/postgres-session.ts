// PostgreSQL session: what the mounts of a PostgreSQL database (postgres, pgvector) share: one read-only connection a
// call.
//
// POSTGRES-MOUNT-1  Each call has its own connection and one read-only transaction, which is rolled back. What is
//     asked travels as one statement of the extended protocol: a second one, and so a COMMIT, is a syntax error.
// POSTGRES-MOUNT-4  The addresses of its host are checked as those of a URL (web/resolve.ts), and the connection goes
//     to one of them: a non-public address behind a name is asked of the gate, and a changed DNS answer has no effect.
//     An address that is written in the declaration is within it.

import { isIP } from "node:net";
import { SysError, type DeviceContext, type MountDeclaration, type Touch } from "@aos/protocol";
import { Client } from "pg";
import { withAbort } from "../web/with-abort.ts";
import { checkedAddresses, type Resolve } from "../web/resolve.ts";
import { USUAL_TIMEOUT_MS } from "./connector.ts";
import { coversWeb, type Covers } from "./mount-reach.ts";

/** Of a declaration: which server, as whom. */
type PostgresLogin = Extract<MountDeclaration, { driver: "postgres" | "pgvector" }>;

const CONNECT_MS = 10_000;
/** As the tool of this name would have it in its environment: what the secret is bound to. */
const PASSWORD_VARIABLE = "PGPASSWORD";

/** What both mounts say of themselves. */
export const postgresReach = ({
  host,
  port,
  database,
  user,
  password,
}: PostgresLogin): {
  readonly target: string;
  readonly covers: Covers;
  readonly needs: () => readonly Touch[];
} => ({
  target: `${user}@${host}:${port}/${database}`,
  covers: coversWeb(`${isIP(host) === 6 ? `[${host}]` : host}:${port}/`),
  needs: () =>
    password === undefined ? [] : [{ kind: "secret", resource: password, verb: "use" }],
});

/** POSTGRES-MOUNT-1. */
export async function inReadOnlySession<Result>(
  declaration: PostgresLogin,
  { name, resolve, context }: { name: string; resolve: Resolve; context: DeviceContext },
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  const { host, port, database, user, password, ssl, timeout } = declaration;
  const address = await addressOf(declaration, context, resolve);
  const client = new Client({
    host: address,
    port,
    database,
    user,
    ...(password === undefined
      ? {}
      : {
          password: context.secret(password, {
            kind: "variable",
            tool: `mnt.${name}`,
            variable: PASSWORD_VARIABLE,
          }),
        }),
    // The certificate must be for the name that was declared.
    ssl: ssl
      ? { rejectUnauthorized: true, ...(isIP(host) === 0 ? { servername: host } : {}) }
      : false,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: timeout ?? USUAL_TIMEOUT_MS,
    application_name: "aos",
  });
  client.on("error", () => {}); // the pending query fails with it
  const stop = () => void client.end().catch(() => {});
  context.signal.addEventListener("abort", stop, { once: true });
  try {
    await client.connect();
    await client.query("BEGIN READ ONLY");
    return await use(client);
  } catch (error) {
    throw told(error);
  } finally {
    context.signal.removeEventListener("abort", stop);
    await client.end().catch(() => {});
  }
}

/** POSTGRES-MOUNT-4. The first of them: who has several servers behind a name declares one. */
async function addressOf(
  { host, port }: PostgresLogin,
  context: DeviceContext,
  resolve: Resolve,
): Promise<string> {
  const named = isIP(host) === 6 ? `[${host}]` : host;
  const origin = `http://${named}:${port}`;
  const target = {
    url: `${origin}/`,
    scheme: "http",
    host: named,
    port,
    origin,
    path: "/",
  } as const;
  const checking = checkedAddresses({ ...target, query: "" }, "get", context, resolve);
  try {
    return (await withAbort(checking, context.signal))[0]!;
  } catch (error) {
    if (error instanceof SysError) throw error;
    context.signal.throwIfAborted();
    throw new SysError(
      "EUPSTREAM",
      `${host}: ${(error as NodeJS.ErrnoException).code ?? "unknown"}`,
    );
  }
}

export const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** What the database says of the statement is the caller's to read; what it says of itself is EUPSTREAM. */
function told(error: unknown): unknown {
  if (error instanceof SysError) return error;
  const { code = "", message } = error as { code?: string; message: string };
  if (code === "57014") return new SysError("ETIMEDOUT", "the statement took too long");
  if (/^(?:42|22|25|0A|21)/.test(code)) return new SysError("EINVAL", message);
  return new SysError("EUPSTREAM", message);
}
