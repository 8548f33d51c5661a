// S3 signature: AWS Signature Version 4 of a GET request without a body.
//
//   signedHeaders({ host, path, query, region, accessKey, secretKey, at })

import { createHash, createHmac } from "node:crypto";

export interface UnsignedRequest {
  /** As it is sent, with its port where that is not the usual one. */
  readonly host: string;
  /** Encoded, as it is sent. */
  readonly path: string;
  /** Names and values, not encoded. */
  readonly query: readonly (readonly [string, string])[];
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly at: Date;
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const keyed = (key: string | Buffer, text: string): Buffer =>
  createHmac("sha256", key).update(text).digest();

const NO_BODY = hash("");
const SIGNED = "host;x-amz-content-sha256;x-amz-date";

/** As RFC 3986 has it: encodeURIComponent leaves some characters that must be encoded here. */
export const encodedStrictly = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );

export const queryText = (query: UnsignedRequest["query"]): string =>
  query
    .map(([name, value]) => `${encodedStrictly(name)}=${encodedStrictly(value)}`)
    .sort()
    .join("&");

export function signedHeaders(request: UnsignedRequest): Record<string, string> {
  const { host, path, query, region, accessKey, secretKey, at } = request;
  const time = at.toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/s3/aws4_request`;
  const canonical = [
    "GET",
    path,
    queryText(query),
    `host:${host}`,
    `x-amz-content-sha256:${NO_BODY}`,
    `x-amz-date:${time}`,
    "",
    SIGNED,
    NO_BODY,
  ].join("\n");
  const text = ["AWS4-HMAC-SHA256", time, scope, hash(canonical)].join("\n");
  const key = [region, "s3", "aws4_request"].reduce<Buffer>(
    (before, part) => keyed(before, part),
    keyed(`AWS4${secretKey}`, day),
  );
  const signature = keyed(key, text).toString("hex");
  return {
    "x-amz-content-sha256": NO_BODY,
    "x-amz-date": time,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${SIGNED}, Signature=${signature}`,
  };
}
