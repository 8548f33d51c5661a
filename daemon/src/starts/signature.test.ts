import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { checkSignature, standardSignature, type SignatureTerms } from "./signature.ts";

const NOW = 1_800_000_000_000;
const time = String(NOW / 1000);
const body = Buffer.from('{"ref":"main"}');
const key = "a secret of this test";
const standard: SignatureTerms = { signature: "standard", tolerance: 300_000, key };
const github: SignatureTerms = { ...standard, signature: "github" };

const signed = (more: Record<string, string> = {}, of = body) => ({
  headers: new Headers({
    "webhook-id": "msg_1",
    "webhook-timestamp": time,
    "webhook-signature": `v1,${standardSignature(key, { id: "msg_1", time, body })}`,
    ...more,
  }),
  body: of,
});

describe("a signature of Standard Webhooks", () => {
  test("is taken with the id that it signs", () => {
    expect(checkSignature(signed(), standard, NOW)).toEqual({ id: "msg_1" });
  });

  test("is that of the standard's own example", () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const of = Buffer.from('{"test": 2432232314}');
    const one = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", time: "1614265330", body: of };

    expect(standardSignature(secret, one)).toBe("g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  test("counts where it is one of several, as while a secret is changed", () => {
    const both = `v1,AAAA ${signed().headers.get("webhook-signature")} v2,x`;

    expect(checkSignature(signed({ "webhook-signature": both }), standard, NOW)).toHaveProperty(
      "id",
    );
  });

  test("is refused for another id, time, body or secret, and without a version (SIGNATURE-1)", () => {
    const plain = signed().headers.get("webhook-signature")!.slice(3);
    const wrong = [
      signed({ "webhook-id": "msg_2" }),
      signed({ "webhook-timestamp": String(Number(time) - 1) }),
      signed({}, Buffer.from('{"ref": "main"}')),
      signed({ "webhook-signature": plain }),
      signed({ "webhook-signature": `v1a,${plain}` }),
      signed({ "webhook-signature": "" }),
      signed({ "webhook-id": "msg 1" }),
    ];

    for (const one of wrong) expect(checkSignature(one, standard, NOW)).toHaveProperty("refused");
    expect(checkSignature(signed(), { ...standard, key: "another one" }, NOW)).toHaveProperty(
      "refused",
    );
  });

  test("is refused outside its time, before and after (SIGNATURE-3)", () => {
    for (const off of [-301_000, 301_000])
      expect(checkSignature(signed(), standard, NOW + off)).toEqual({
        refused: "too old, or of the future",
      });
    expect(checkSignature(signed(), standard, NOW + 300_000)).toHaveProperty("id");
  });
});

describe("a signature in the way of GitHub", () => {
  const hub = (of = body, by = key) => ({
    headers: new Headers({
      "x-hub-signature-256": `sha256=${createHmac("sha256", by).update(of).digest("hex")}`,
      "x-github-delivery": "any",
    }),
    body: of,
  });

  test("names the delivery by its body: its id anybody could change (SIGNATURE-2)", () => {
    const one = checkSignature(hub(), github, NOW);
    const again = hub();
    again.headers.set("x-github-delivery", "another");

    expect(one).toEqual({ id: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(checkSignature(again, github, NOW)).toEqual(one);
    expect(checkSignature(hub(Buffer.from("x")), github, NOW)).not.toEqual(one);
  });

  test("is refused where it is another's, or none", () => {
    expect(checkSignature(hub(body, "another one"), github, NOW)).toHaveProperty("refused");
    expect(checkSignature(signed(), github, NOW)).toEqual({ refused: "no signature" });
    expect(checkSignature(hub(), standard, NOW)).toEqual({ refused: "no signature" });
  });
});
