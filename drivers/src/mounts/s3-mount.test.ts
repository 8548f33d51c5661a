// Pages of an S3 server, in the form that the protocol's documentation shows.

import { expect, test } from "vitest";
import { deviceContextForTest } from "../../../tests/helpers/drivers/device-context.ts";
import { webForTest } from "../../../tests/helpers/drivers/web.ts";
import { createEgress } from "../web/egress.ts";
import { s3Mount } from "./s3-mount.ts";

const page = (keys: string[], next: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><Name>docs</Name><EncodingType>url</EncodingType>${next}${keys
    .map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`)
    .join("")}</ListBucketResult>`;

test("S3-MOUNT-2: pages follow each other by the server's token, and keys that are no path are left out", async () => {
  const more =
    "<IsTruncated>true</IsTruncated><NextContinuationToken>a/b+c&amp;=</NextContinuationToken>";
  await using web = await webForTest({
    "s3.example": (request, response) =>
      void response.end(
        request.url!.includes("continuation-token")
          ? page(["z"], "")
          : page(["a+b%2Bc", "..%2Fx", "d%2F%2Fe", "caf%C3%A9"], more),
      ),
  });
  const mount = s3Mount(
    {
      name: "s3",
      declaredBy: "config.yaml",
      declaration: {
        driver: "s3",
        url: "http://s3.example",
        bucket: "docs",
        region: "us-east-1",
        prefix: "",
      },
    },
    createEgress(web.options),
  );
  const nobody = deviceContextForTest({ grants: () => false });

  const first = await mount.list({ call: "list", path: "", limit: 4 }, nobody);
  const second = await mount.list({ call: "list", path: "", cursor: first.next! }, nobody);

  expect(first).toEqual({ paths: ["a b+c", "café"], next: "a/b+c&=" });
  expect(second).toEqual({ paths: ["z"], next: null });
  expect(web.seen[0]!.url).toContain("max-keys=4");
  expect(web.seen[1]!.url).toContain("continuation-token=a%2Fb%2Bc%26%3D");
});
