// Against the examples that Amazon publishes for Signature Version 4.

import { expect, test } from "vitest";
import { signedHeaders } from "./s3-signature.ts";

const example = {
  host: "examplebucket.s3.amazonaws.com",
  path: "/",
  region: "us-east-1",
  accessKey: "AKIAIOSFODNN7EXAMPLE",
  secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  at: new Date("2013-05-24T00:00:00Z"),
};

test.each([
  [[["lifecycle", ""]], "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"],
  [
    [
      ["max-keys", "2"],
      ["prefix", "J"],
    ],
    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  ],
] as const)("the query %j has the published signature", (query, signature) => {
  const { authorization } = signedHeaders({ ...example, query });

  expect(authorization).toBe(
    `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${signature}`,
  );
});
