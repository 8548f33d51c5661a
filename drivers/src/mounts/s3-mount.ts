// S3 mount: the objects of a bucket below /mnt/NAME, read-only, of any server that speaks the S3 protocol.
//
// S3-MOUNT-1  The secret key signs here and is not sent; it is revealed for the origin of the server only, and there
//     are no redirects.
// S3-MOUNT-2  A key that cannot be a plain path here is left out of lists, and cannot be read.

import { SysError, type DeviceContext, type Connector, type MountRequest } from "@aos/protocol";
import type { Egress, EgressReply } from "../web/egress.ts";
import { readUrl, touchOf } from "../web/url.ts";
import {
  connector,
  isPlainName,
  MOST_BYTES,
  MOST_ENTRIES,
  noFile,
  shownBytes,
  USUAL_TIMEOUT_MS,
  type DeclaredMount,
} from "./connector.ts";
import { coversWeb } from "./mount-reach.ts";
import { encodedStrictly, queryText, signedHeaders } from "./s3-signature.ts";

type S3Declaration = Extract<DeclaredMount["declaration"], { driver: "s3" }>;
type Query = readonly (readonly [string, string])[];

export function s3Mount(declared: DeclaredMount<S3Declaration>, egress: Egress): Connector {
  const { url, bucket, prefix, secretKey, timeout } = declared.declaration;
  const base = `${url.replace(/\/+$/, "")}/${bucket}`;
  const target = readUrl(base);
  const urlOf = (path: string, query: Query) => {
    const key = path === "" ? "" : `/${encodedKey(prefix + path)}`;
    return readUrl(`${base}${key}${query.length === 0 ? "" : `?${queryText(query)}`}`);
  };
  const ask = async (path: string, query: Query, context: DeviceContext): Promise<EgressReply> => {
    const to = urlOf(path, query);
    const reply = await egress.send(
      {
        method: "get",
        target: to,
        headers: authorization(declared.declaration, to, query, context),
        limit: MOST_BYTES,
        timeoutMs: timeout ?? USUAL_TIMEOUT_MS,
        maxRedirects: 0,
      },
      context,
    );
    if (reply.status === 404) throw noFile(path);
    if (reply.status !== 200)
      throw new SysError("EUPSTREAM", `the server answered ${reply.status}${codeIn(reply)}`);
    if (reply.cut) throw new SysError("EINVAL", `${path} has more than ${MOST_BYTES} bytes`);
    return reply;
  };
  return connector(declared, {
    target: base,
    egress: true,
    covers: coversWeb(`${target.host}:${target.port}${target.path}`),
    needs: ({ call, path }) => [
      touchOf(urlOf(call === "read" ? path : "", []), "get"),
      ...(secretKey === undefined
        ? []
        : [{ kind: "secret", resource: secretKey, verb: "use" } as const]),
    ],
    list: async (request, context) => {
      const reply = await ask("", listQuery(prefix, request), context);
      return pageIn(reply.bytes.toString("utf8"), prefix);
    },
    read: async (request, context) => {
      if (request.path === "") throw new SysError("EINVAL", "it is a folder: list it");
      return shownBytes((await ask(request.path, [], context)).bytes, request);
    },
  });
}

const encodedKey = (key: string): string => key.split("/").map(encodedStrictly).join("/");

function listQuery(prefix: string, { path, cursor, limit }: MountRequest): Query {
  return [
    ["list-type", "2"],
    ["encoding-type", "url"],
    ["max-keys", String(Math.min(limit ?? MOST_ENTRIES, MOST_ENTRIES))],
    ...(prefix + path === ""
      ? []
      : [["prefix", path === "" ? prefix : `${prefix}${path}/`] as const]),
    ...(cursor === undefined || cursor === "" ? [] : [["continuation-token", cursor] as const]),
  ];
}

/** S3-MOUNT-1. */
function authorization(
  { accessKey, secretKey, region }: S3Declaration,
  { host, port, scheme, origin, path }: ReturnType<typeof readUrl>,
  query: Query,
  context: DeviceContext,
): Record<string, string> {
  if (accessKey === undefined || secretKey === undefined) return {};
  const usual = port === (scheme === "https" ? 443 : 80);
  return signedHeaders({
    host: usual ? host : `${host}:${port}`,
    path,
    query,
    region,
    accessKey,
    secretKey: context.secret(secretKey, { kind: "header", origin, header: "authorization" }),
    at: new Date(),
  });
}

/** S3-MOUNT-2. The answer is read by its elements; what they hold is text. */
function pageIn(xml: string, prefix: string): { paths: string[]; next: string | null } {
  const isEncoded = /<EncodingType>url<\/EncodingType>/.test(xml);
  const keys = [...xml.matchAll(/<Contents>[\s\S]*?<Key>([^<]*)<\/Key>/g)].map(([, key]) =>
    isEncoded ? decoded(unescaped(key!)) : unescaped(key!),
  );
  const paths = keys
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length))
    .filter((path) => path.split("/").every(isPlainName));
  const next = /<NextContinuationToken>([^<]*)<\/NextContinuationToken>/.exec(xml)?.[1];
  return { paths, next: next === undefined || next === "" ? null : unescaped(next) };
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

const unescaped = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name]!);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new SysError("EUPSTREAM", "the server lists a key that is not encoded as it says");
  }
}

const codeIn = ({ bytes }: EgressReply): string => {
  const code = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(bytes.toString("utf8"))?.[1];
  return code === undefined ? "" : `: ${code}`;
};
