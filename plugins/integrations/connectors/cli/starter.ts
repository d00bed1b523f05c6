const MANIFEST = `{
  "manifest": "svc-connector/v1",
  "name": "{name}",
  "title": "{name}",
  "credential": { "kind": "bearer" },
  "fields": [{ "name": "room", "type": "string", "required": true, "title": "The room to write to" }],
  "actions": {
    "send": {
      "title": "Send a message",
      "inputs": [
        { "name": "text", "type": "string", "required": true },
        { "name": "thread", "type": "string" }
      ],
      "request": {
        "method": "POST",
        "url": "https://chat.example.org/v1/rooms/{{ with.room }}/messages",
        "headers": { "Idempotency-Key": "{{ node.idempotency_key }}" },
        "body": { "text": "{{ input.text }}", "thread": "{{ input.thread }}" }
      }
    }
  },
  "examples": [
    {
      "action": "send",
      "with": { "room": "ops" },
      "input": { "text": "hello" },
      "node": { "idempotency_key": "run_1~hello" },
      "request": {
        "method": "POST",
        "url": "https://chat.example.org/v1/rooms/ops/messages",
        "headers": { "Idempotency-Key": "run_1~hello" },
        "body": { "text": "hello" },
        "encoding": "json"
      },
      "response": { "status": 201, "body": { "id": "m1" } }
    }
  ]
}
`;

const README = `# {name}

Describe its purpose in one sentence.

    svc connector check {name}
    svc connector render {name}.send --from {name} --with '{"room":"ops"}' --input '{"text":"hello"}'

| \`with\` | |
|---|---|
| \`room\` | the room to write to |

| \`{name}.send\` | |
|---|---|
| \`text\` | the message |
| \`thread\` | optional: the message that it answers |

The node's \`idempotency_key\` is sent along, so that a retry writes once.
`;

const fillName = (text: string, name: string) => text.replaceAll('{name}', name);

/** A connector that \`svc connector check\` finds sound. */
export const starterManifest = (name: string): string => fillName(MANIFEST, name);

export const starterReadme = (name: string): string => fillName(README, name);
