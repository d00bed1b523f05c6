@far-end
Feature: Sending messages to chats

  Rule: A federated chat gets a message once

    @CONN-007 @CONN-008 @CONN-009 @CONN-010 @CONN-011 @CONN-012 @CONN-075 @CONN-076
    Scenario: everyone sees the message as text, and capable clients see its HTML
      Given a homeserver with the token "tok-homeserver" and the room "!ops:example.org"
      And the credential "chat" is '{"kind": "bearer", "token": "tok-homeserver"}'
      When I run the graph:
        """
        {"nodes": [{"id": "say", "type": "federated_chat.send_message", "config": {
          "credential": "chat", "with": {"homeserver": "{far}", "room_id": "!ops:example.org"},
          "input": {"text": "It is **done**, <b>really</b>"}}}]}
        """
      Then the run succeeds
      And "output.body.event_id" of the run is "$1:far-end"
      And the room "!ops:example.org" has the messages:
        | txn_id    | msgtype | body                          | format                 | formatted_body                                                  |
        | {run}~say | m.text  | It is **done**, <b>really</b> | org.matrix.custom.html | <p>It is <strong>done</strong>, &lt;b&gt;really&lt;/b&gt;</p> |

    @CONN-013
    Scenario: a retry after a lost response posts nothing again
      Given a homeserver with the token "tok-homeserver" and the room "!ops:example.org"
      And the credential "chat" is '{"kind": "bearer", "token": "tok-homeserver"}'
      And its next answer is lost on the way
      When I run the graph:
        """
        {"nodes": [{"id": "say", "type": "federated_chat.send_message", "retry": {"attempts": 3, "backoff": "1ms"}, "config": {
          "credential": "chat", "with": {"homeserver": "{far}", "room_id": "!ops:example.org"}, "input": {"text": "once"}}}]}
        """
      Then the run succeeds
      And it was asked 2 times
      And the room "!ops:example.org" has the messages:
        | txn_id    | body |
        | {run}~say | once |

    @CONN-012 @CONN-014
    Scenario: each fan-out item has its own key, and a key set by the author is used unchanged
      Given a homeserver with the token "tok-homeserver" and the room "!ops:example.org"
      And the credential "chat" is '{"kind": "bearer", "token": "tok-homeserver"}'
      When I run the graph:
        """
        {"nodes": [
          {"id": "all", "type": "fan_out", "config": {"items": ["a", "b"], "concurrency": 1,
            "node": {"type": "federated_chat.send_message", "config": {"credential": "chat",
              "with": {"homeserver": "{far}", "room_id": "!ops:example.org"}, "input": {"text": "item {{ item }}"}}}}},
          {"id": "named", "type": "fan_out", "idempotency_key": "ours", "config": {"items": ["c", "d"], "concurrency": 1,
            "node": {"type": "federated_chat.send_message", "config": {"credential": "chat",
              "with": {"homeserver": "{far}", "room_id": "!ops:example.org"}, "input": {"text": "item {{ item }}"}}}}},
          {"id": "last", "type": "federated_chat.send_message", "idempotency_key": "mine", "config": {"credential": "chat",
            "with": {"homeserver": "{far}", "room_id": "!ops:example.org"}, "input": {"text": "the end"}}}],
         "edges": [{"from": "all", "to": "named"}, {"from": "named", "to": "last"}]}
        """
      Then the run succeeds
      And the room "!ops:example.org" has the messages:
        | txn_id       | body    |
        | {run}~all~0  | item a  |
        | {run}~all~1  | item b  |
        | ours~0       | item c  |
        | ours~1       | item d  |
        | mine         | the end |

    @contract
    Scenario: a rejection by the homeserver is data unless the node's settings make it an error
      Given a homeserver with the token "tok-homeserver" and the room "!ops:example.org"
      And the credential "chat" is '{"kind": "bearer", "token": "tok-homeserver"}'
      When I run the node "federated_chat.send_message" with:
        """
        {"credential": "chat", "with": {"homeserver": "{far}", "room_id": "!other:example.org"}, "input": {"text": "x"}}
        """
      Then the run succeeds
      And "output.status" of the run is "403"
      And "output.body.errcode" of the run is "M_FORBIDDEN"

  Rule: A team chat message uses the chat's own markup

    @CONN-029 @CONN-030 @CONN-031 @CONN-032 @CONN-033
    Scenario: the text is sent unchanged
      Given a team chat with the token "tok-team-chat" and the channel "#ops"
      And the credential "chat" is '{"kind": "bearer", "token": "tok-team-chat"}'
      When I run the node "team_chat.post_message" with:
        """
        {"credential": "chat", "with": {"channel": "#ops", "api_base": "{far}/api"},
         "input": {"text": "*done*: <https://ci.example.org/7|run 7>"}}
        """
      Then the run succeeds
      And "output.body.ok" of the run is "true"
      And the channel has the message "*done*: <https://ci.example.org/7|run 7>"
      And the body of request 1 is '{"channel": "#ops", "text": "*done*: <https://ci.example.org/7|run 7>", "mrkdwn": true}'
      And it was asked:
        | method | path                  | authorization        |
        | POST   | /api/chat.postMessage | Bearer tok-team-chat |

  Rule: A bot's token is part of the address and is never shown

    @CONN-034 @CONN-035 @CONN-036 @CONN-037 @CONN-038
    Scenario: the token is inserted when the request is sent
      Given a bot chat with the token "4711:tok-of-the-bot" and the chat 42
      And the credential "bot" is '{"kind": "url_token", "token": "4711:tok-of-the-bot"}'
      When I run the node "bot_chat.send_message" with:
        """
        {"credential": "bot", "with": {"chat_id": 42, "api_base": "{far}"}, "input": {"text": "done"},
         "fail_on_error_status": true}
        """
      Then the run succeeds
      And the chat has the message "done"
      And it was asked:
        | method | path                                 | authorization |
        | POST   | /bot4711:tok-of-the-bot/sendMessage | -             |
      And nobody can read "tok-of-the-bot" anywhere in the run
      When I run the node "bot_chat.send_message" with:
        """
        {"credential": "bot", "with": {"chat_id": 43, "api_base": "{far}"}, "input": {"text": "done"},
         "fail_on_error_status": true}
        """
      Then the run is "failed"
      And "error.message" of the run matches "/bot\{credential\}/sendMessage.*400"
      And nobody can read "tok-of-the-bot" anywhere in the run
