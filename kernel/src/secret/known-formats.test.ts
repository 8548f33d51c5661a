import { describe, expect, test } from "vitest";
import { findKnown } from "./known-formats.ts";
import { Scrubber } from "./scrubber.ts";

const scrubber = new Scrubber([]);
const mixed = (length: number) => "aB3dE5fG7hJ9kL1m".repeat(20).slice(0, length);
const hex = (length: number) => "0123456789abcdef".repeat(20).slice(0, length);
// None is anybody's: the part that would be random is made above.
const cases: readonly [name: string, credential: string][] = [
  ["github-token", `ghp_${mixed(36)}`],
  ["github-token", `gho_${mixed(36)}`],
  ["github-token", `ghu_${mixed(36)}`],
  ["github-token", `ghs_${mixed(36)}`],
  ["github-token", `ghr_${mixed(76)}`],
  ["github-token", `github_pat_${mixed(22)}_${mixed(59)}`],
  ["gitlab-token", `glpat-${mixed(20)}`],
  ["gitlab-token", `glrt-${mixed(20)}`],
  ["anthropic-key", `sk-ant-api03-${mixed(93)}-AA`],
  ["openai-key", `sk-proj-${mixed(40)}_-${mixed(20)}`],
  ["openai-key", `sk-${mixed(48)}`],
  ["openrouter-key", `sk-or-v1-${hex(64)}`],
  ["stripe-key", `sk_live_${mixed(24)}`],
  ["stripe-key", `rk_live_${mixed(24)}`],
  ["slack-token", `xoxb-123456789012-1234567890123-${mixed(24)}`],
  ["slack-token", `xapp-1-A0123-${hex(20)}`],
  ["aws-access-key-id", `AKIAIOSFODNN7EXAMPLE`],
  ["google-key", `AIza${mixed(35)}`],
  ["google-token", `ya29.${mixed(60)}`],
  ["npm-token", `npm_${mixed(36)}`],
  ["pypi-token", `pypi-AgEIcHlwaS5vcmc${mixed(60)}`],
  ["sendgrid-key", `SG.${mixed(22)}.${mixed(43)}`],
  ["twilio-key", `SK${hex(32)}`],
  ["digitalocean-token", `dop_v1_${hex(64)}`],
  ["huggingface-token", `hf_${mixed(34)}`],
  ["telegram-bot-token", `123456789:AA${mixed(33)}`],
  ["jwt", `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${mixed(43)}`],
  ["capability-token", `aos1.${mixed(80)}.${mixed(43)}`],
];

describe("a credential is known by its looks", () => {
  test.each(cases)("%s %#", (name, credential) => {
    const marker = `[secret:${name}]`;

    expect(scrubber.text(credential)).toBe(marker);
    expect(scrubber.text(`is "${credential}", or`)).toBe(`is "${marker}", or`);
    expect(scrubber.text(JSON.stringify(`line\n${credential}\n`))).toBe(`"line\\n${marker}\\n"`);
    expect(scrubber.text(`?key%3D${credential}&x`)).toBe(`?key%3D${marker}&x`);
    // In the middle of a word, or one character short, it is something else.
    expect(scrubber.text(`word${credential}`)).not.toBe(`word${marker}`);
  });

  const parts: readonly [before: string, hidden: string, after: string, name: string][] = [
    ["AWS_SECRET_ACCESS_KEY=", `wJalrXUtnFEMI/K7MDENG+${mixed(18)}`, "\n", "aws-secret-key"],
    ['"SecretAccessKey": "', mixed(40), '"', "aws-secret-key"],
    ["aws_secret_access_key = ", mixed(40), "", "aws-secret-key"],
    [
      "https://hooks.slack.com/",
      `services/T01234567/B01234567/${mixed(24)}`,
      " ok",
      "slack-webhook",
    ],
    ["https://discord.com/api/webhooks/", `123456789012345678/${mixed(60)}`, "", "discord-webhook"],
    ["postgres://app:", "s3cr%40t!", "@db.internal:5432/app", "url-password"],
    ["mysql://u:", "%abcdef", "@h", "url-password"],
    ["redis://:", "hunter2", "@localhost", "url-password"],
    ["https://x-access-token:", "p@ss", "@github.com/a/b.git", "url-password"],
    ["Authorization: Bearer ", `${mixed(20)}.x`, "\r\n", "bearer-token"],
    ['{"authorization":"token ', mixed(40), '"}', "bearer-token"],
    ["-H 'AUTHORIZATION: BASIC ", "dXNlcjpwYXNz", "'", "basic-credentials"],
    ["https://api.telegram.org/bot", `123456789:AA${mixed(33)}`, "/getMe", "telegram-bot-token"],
  ];

  test.each(parts)("after %s", (before, hidden, after, name) => {
    expect(scrubber.text(before + hidden + after)).toBe(`${before}[secret:${name}]${after}`);
  });

  test("a token that runs into a header's name does not hide the header", () => {
    const header = `Authorization: Bearer ${mixed(20)}`;
    expect(scrubber.text(`ghp_${mixed(400)}${header}`)).toBe(
      "[secret:github-token]: Bearer [secret:bearer-token]",
    );
  });

  test("a private key goes as a whole, also escaped, also without its end", () => {
    const body = `${mixed(64)}\n${mixed(64)}\n${mixed(20)}==`;
    for (const label of ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY"]) {
      const key = `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----`;
      expect(scrubber.text(`k: ${key}\n`)).toBe("k: [secret:private-key]\n");
      expect(JSON.parse(scrubber.text(JSON.stringify({ key })))).toEqual({
        key: "[secret:private-key]",
      });
      expect(scrubber.text(key.slice(0, -40))).toBe("[secret:private-key]");
      expect(scrubber.text(`${key.slice(0, 100)}\nand so on`)).toBe(
        "[secret:private-key]\nand so on",
      );
    }
  });
});

describe("ordinary text is left alone", () => {
  const harmless: readonly [what: string, text: string][] = [
    ["git", `commit ${hex(40)}\nindex ${hex(7)}..${hex(7)} 100644`],
    ["uuid", "123e4567-e89b-12d3-a456-426614174000"],
    ["integrity", `"integrity": "sha512-${Buffer.from(mixed(64)).toString("base64")}=="`],
    ["image", `data:image/png;base64,iVBORw0KGgoAAAANSUhEUg${mixed(300)}`],
    [
      "our ids",
      `agt_0123456789abcdefghjkmnpqrs ask_0123456789abcdefghjkmnpqrs.7.tool msg_${mixed(26)}`,
    ],
    ["long ids", `task-${hex(64)} disk-${mixed(48)} pod/risk-${mixed(40)}`],
    ["urls", "https://example.com:8080/@scope/pkg?x=a:b@c http://[::1]:80/@x ssh://git@host:22/x"],
    ["a list of urls", "http://a.example:80,someone@example.com"],
    ["templates", "postgres://user:${PASSWORD}@db mysql://u:{pw}@h amqp://u:%s@h ftp://u:***@h"],
    [
      "headers in prose",
      "Authorization: Basic authentication; Authorization: Bearer YOUR_ACCESS_TOKEN",
    ],
    ["code", "headers: { Authorization: `Bearer ${token}` }, getAccessKey(x), sk-folding-cube"],
    ["a certificate", `-----BEGIN CERTIFICATE-----\n${mixed(64)}\n-----END CERTIFICATE-----`],
    ["the words of a key", "begins with -----BEGIN PRIVATE KEY----- and then comes the rest."],
    ["json in base64", `eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpb${mixed(80)}`],
    ["a scheme that is none", "see ://user:word@place"],
    ["a name in prose", `authorization basic dXNlcjpwYXNz, SecretAccessKey ${mixed(40)}`],
    ["a short number", `12:AA${mixed(33)}`],
    ["longer", `AIza${mixed(35)}_ SK${hex(32)}xyz AKIAIOSFODNN7EXAMPLEs`],
    ["almost", `ghp_${mixed(35)} AKIAIOSFODNN7EXAMPL npm_config_registry SK${hex(31)}`],
  ];

  test.each(harmless)("%s", (_what, text) => {
    expect(scrubber.text(text)).toBe(text);
  });
});

describe("SCRUBBER-1: the work grows with the text, and no faster", () => {
  const evil: readonly [what: string, piece: string][] = [
    ["jwt heads", "eyJ"],
    ["jwt heads after dashes", "-eyJ"],
    ["jwt parts", "eyJaaaaaaaaaaa."],
    ["keys", "-----BEGIN PRIVATE KEY-----"],
    ["open keys", `-----BEGIN PRIVATE KEY-----\n${mixed(64)}\n`],
    ["schemes", "a://b"],
    ["users", "a://b:c"],
    ["at signs", "://a:@@@@"],
    ["headers", "Authorization: Bearer a"],
    ["basic", "authorization=basic a"],
    ["tokens in tokens", "glpat-"],
    ["short tokens", "sk-"],
    ["dots", "SG."],
    ["bots", ":AA"],
    ["digits", "1234567890"],
    ["hooks", "hooks.slack.com/"],
    ["backslashes", "\\"],
    ["escaped", "\\\\u0041eyJ"],
    ["names", "SecretAccessKey:::::"],
  ];

  test.each(evil)("%s", (_what, piece) => {
    const small = stepsFor(piece.repeat(Math.ceil(4000 / piece.length)));
    const large = stepsFor(piece.repeat(4 * Math.ceil(4000 / piece.length)));

    expect(large / small).toBeLessThan(4.5);
    expect(large).toBeLessThan(16_000 * 60);
  });
});

/** How many characters of the text were looked at. */
function stepsFor(text: string): number {
  let steps = 0;
  class Counted extends String {
    override charCodeAt(at: number): number {
      steps += 1;
      return super.charCodeAt(at);
    }
    override charAt(at: number): string {
      steps += 1;
      return super.charAt(at);
    }
    override startsWith(part: string, at?: number): boolean {
      steps += 1;
      return super.startsWith(part, at);
    }
    override endsWith(part: string, at?: number): boolean {
      steps += 1;
      return super.endsWith(part, at);
    }
    override slice(from?: number, to?: number): string {
      const part = super.slice(from, to);
      steps += part.length;
      return part;
    }
  }
  findKnown(new Counted(text) as unknown as string, []);
  return steps;
}
