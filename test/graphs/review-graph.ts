/** Where the far ends of a graph are. */
export interface FarEnds {
  llm: string;
  chat: string;
  forge: string;
}

/** The values of the credentials that it names. None of them may be found anywhere afterwards. */
export const SECRETS: Readonly<Record<string, string>> = {
  'llm-key': 'canary-llm-0d1f7a5e9b',
  'chat-token': 'canary-chat-61c2bb0e4f',
  'forge-token': 'canary-forge-93ab7716d2',
  'shell-token': 'canary-shell-2e0c55f1a8',
};

/**
 * A delivery asks a model for a text, an agent counts its words, the text goes into a room, and the commit gets a status.
 * The program waits for the file `go`, so that a test can strike while it runs.
 */
export const reviewGraph = ({ llm, chat, forge }: FarEnds, go: string) => ({
  version: 'svc-graph/v1',
  nodes: [
    { id: 'pushed', type: 'trigger.webhook', config: {} },
    {
      id: 'ask',
      type: 'chat_llm.chat',
      retry: { attempts: 10, backoff: '200ms' },
      config: {
        credential: 'llm-key',
        with: { base_url: llm, model: 'small' },
        input: { prompt: 'Sum up {{ input.payload.body.title }}.' },
        fail_on_error_status: true,
      },
    },
    {
      id: 'count',
      type: 'shell',
      retry: { attempts: 10, backoff: '200ms' },
      config: {
        script: [
          'echo "counting with $TOKEN"',
          `while [ ! -e '${go}' ]; do sleep 0.1; done`,
          'printf "%s" "$TEXT" | wc -w',
        ].join('\n'),
        env: { TEXT: { $expr: 'nodes.ask.output.body.choices[0].message.content' } },
        credentials: { TOKEN: 'shell-token' },
      },
    },
    {
      id: 'say',
      type: 'federated_chat.send_message',
      retry: { attempts: 10, backoff: '200ms' },
      config: {
        credential: 'chat-token',
        with: { homeserver: chat, room_id: '!room:example.org' },
        input: { text: '**{{ input.payload.body.title }}**: {{ nodes.ask.output.body.choices[0].message.content }}' },
        fail_on_error_status: true,
      },
    },
    {
      id: 'status',
      type: 'forge_b.set_commit_status',
      retry: { attempts: 10, backoff: '200ms' },
      config: {
        credential: 'forge-token',
        with: { api_base: forge, context: 'review' },
        input: {
          repo: '{{ input.payload.body.repo }}',
          sha: '{{ input.payload.body.sha }}',
          state: 'success',
          description: 'said in {{ nodes.say.output.body.event_id }}',
        },
        fail_on_error_status: true,
      },
    },
  ],
  edges: [
    { from: 'pushed', to: 'ask' },
    { from: 'ask', to: 'count' },
    { from: 'count', to: 'say' },
    { from: 'say', to: 'status' },
  ],
});
