Feature: Connector nodes

  Rule: A connector node sends one request, like an http node

    @far-end @CONN-001 @CONN-002 @CONN-003 @CONN-005 @OVW-018 @MAN-006 @GRAPH-014 @GRAPH-015 @GRAPH-016
    Scenario: a connector node has the same config, request and history as an http node
      Given a team chat with the token "tok-team-chat" and the channel "#ops"
      And the credential "chat" is '{"kind": "bearer", "token": "tok-team-chat"}'
      When I run the graph:
        """
        {"nodes": [
          {"id": "by_connector", "type": "team_chat.post_message", "config": {"credential": "chat",
            "with": {"channel": "#ops", "api_base": "{far}/api"}, "input": {"text": "hello"},
            "retry_on": [503], "fail_on_error_status": true}},
          {"id": "by_hand", "type": "http", "config": {"credential": "chat", "url": "{far}/api/chat.postMessage",
            "method": "POST", "headers": {"Content-Type": "application/json; charset=utf-8"},
            "body": {"channel": "#ops", "text": "hello", "mrkdwn": true}, "retry_on": [503], "fail_on_error_status": true}}],
         "edges": [{"from": "by_connector", "to": "by_hand"}]}
        """
      Then the run succeeds
      And it was asked:
        | method | path                  | authorization        | content-type                    |
        | POST   | /api/chat.postMessage | Bearer tok-team-chat | application/json; charset=utf-8 |
        | POST   | /api/chat.postMessage | Bearer tok-team-chat | application/json; charset=utf-8 |
      And the body of request 1 is '{"channel": "#ops", "text": "hello", "mrkdwn": true}'
      And the body of request 2 is '{"channel": "#ops", "text": "hello", "mrkdwn": true}'
      When I send "GET" to "{scoped}/runs/{run}/steps"
      Then the nodes "by_connector" and "by_hand" are shown alike

    @far-end @AUTH-010
    Scenario: a header set by the node overrides those of the connector and the credential
      Given a team chat with the token "tok-of-chat" and the channel "#ops"
      And the credential "chat" is '{"kind": "bearer", "token": "tok-of-chat"}'
      When I run the graph:
        """
        {"nodes": [{"id": "say", "type": "team_chat.post_message", "config": {"credential": "chat",
          "headers": {"content-type": "application/json", "AUTHORIZATION": "Own scheme"},
          "with": {"channel": "#ops", "api_base": "{far}/api"}, "input": {"text": "hello"}}}]}
        """
      Then the run succeeds
      And it was asked:
        | method | authorization | content-type     |
        | POST   | Own scheme    | application/json |

    @far-end @CONN-004 @CONN-006
    Scenario: the credential is resolved at the claim, and only its name is shown
      Given a team chat with the token "tok-of-the-claim" and the channel "#ops"
      And the credential "chat" is '{"kind": "bearer", "token": "tok-before-it"}'
      When I run the graph:
        """
        {"nodes": [
          {"id": "wait", "type": "wait_signal", "config": {"name": "go"}},
          {"id": "say", "type": "team_chat.post_message", "config": {"credential": "chat",
            "with": {"channel": "#ops", "api_base": "{far}/api"}, "input": {"text": "hello"}, "fail_on_error_status": true}}],
         "edges": [{"from": "wait", "to": "say"}]}
        """
      Then the run waits for "signal" "go"
      Given the credential "chat" is '{"kind": "bearer", "token": "tok-of-the-claim"}'
      When I send the signal "go" with "{}"
      Then the run succeeds
      And it was asked:
        | method | authorization           |
        | POST   | Bearer tok-of-the-claim |
      And nobody can read "tok-of-the-claim" anywhere in the run
      And nobody can read "tok-before-it" anywhere in the run
      When I call "svc source {run}"
      Then standard output matches "\"credential\": ?\"chat\""

    @far-end @CONN-006
    Scenario: a credential that was deleted before the claim is reported by its name
      Given a team chat with the token "tok-of-chat" and the channel "#ops"
      And the credential "chat" is '{"kind": "bearer", "token": "tok-of-chat"}'
      When I run the graph:
        """
        {"nodes": [
          {"id": "wait", "type": "wait_signal", "config": {"name": "go"}},
          {"id": "say", "type": "team_chat.post_message", "config": {"credential": "chat",
            "with": {"channel": "#ops", "api_base": "{far}/api"}, "input": {"text": "hello"}}}],
         "edges": [{"from": "wait", "to": "say"}]}
        """
      Then the run waits for "signal" "go"
      When I call "svc credential rm chat"
      And I send the signal "go" with "{}"
      Then the run fails with code "credential_missing"
      And "error.message" of the run matches "credential \"?chat"
      And nobody can read "tok-of-chat" anywhere in the run
      And it was asked 0 times

    @far-end @contract
    Scenario: nothing is sent without the required credential
      Given a team chat with the token "tok-team-chat" and the channel "#ops"
      When I run the node "team_chat.post_message" with:
        """
        {"credential": {"$expr": "'no-such'"}, "with": {"channel": "#ops", "api_base": "{far}/api"}, "input": {"text": "x"}}
        """
      Then the run fails with code "credential_missing"
      And it was asked 0 times

    @far-end @CONN-077 @CONN-078 @CONN-079 @CONN-080 @CONN-081 @CONN-082 @CONN-083 @CONN-084
    Scenario Outline: the node's settings decide how error statuses are handled: <what>
      Given a chat endpoint with the model "large" and the key "key-of-chat"
      And the credential "llm" is '{"kind": "bearer", "token": "key-of-chat"}'
      And it refuses the next <busy> requests, because it is busy
      When I run the graph:
        """
        {"nodes": [{"id": "ask", "type": "chat_llm.chat", "retry": {"attempts": 3, "backoff": "1ms"}, "config": {
          "credential": "llm", "with": {"base_url": "{far}/v1", "model": "<model>"}, "input": {"prompt": "p"}<more>}}]}
        """
      Then the run is "<status>"
      And it was asked <asked> times
      And "<path>" of the run matches "<is>"

      Examples:
        | what                                   | busy | model | more                                           | status    | asked | path          | is           |
        | a status that nobody nominated is data | 1    | large |                                                | succeeded | 1     | output.status | ^429$        |
        | a nominated status fails the attempt   | 2    | large | , "retry_on": [429]                            | succeeded | 3     | output.status | ^200$        |
        | after the last attempt the node fails  | 3    | large | , "retry_on": [429]                            | failed    | 3     | error.message | answered 429 |
        | another status stays data              | 1    | large | , "retry_on": [500]                            | succeeded | 1     | output.status | ^429$        |
        | every error can be nominated           | 0    | other | , "fail_on_error_status": true                 | failed    | 3     | error.message | answered 404 |
        | both together                          | 1    | other | , "retry_on": [200], "fail_on_error_status": true | failed | 3     | error.message | answered 404 |

  Rule: Invalid connector nodes are rejected when the graph is saved

    @CONN-001 @CONN-002 @ERR-007 @MAN-007
    Scenario Outline: a graph with an invalid node is rejected: <what>
      When I save the graph "g":
        """
        {"nodes": [{"id": "n", "type": "<type>", "config": <config>}]}
        """
      Then the answer is 422 with code "workflow_invalid"
      # @contract
      And "errors.0.pointer" of the answer is "<pointer>"
      # @contract
      And "errors.0.message" of the answer matches "<says>"

      Examples:
        | what                        | type                   | config                                                                        | pointer                         | says                        |
        | an action that is not there | team_chat.post         | {}                                                                            | /nodes/0/type                   | is not a known type         |
        | no credential               | team_chat.post_message | {"with": {"channel": "c"}, "input": {"text": "t"}}                            | /nodes/0/config/credential      | kind bearer                 |
        | an input that is missing    | team_chat.post_message | {"credential": "c", "with": {"channel": "c"}, "input": {}}                    | /nodes/0/config/input/text      | is required                 |
        | an input of another action  | team_chat.post_message | {"credential": "c", "with": {"channel": "c"}, "input": {"text": "t", "prompt": "p"}} | /nodes/0/config/input/prompt | is not a known member |
        | an input of another type    | team_chat.post_message | {"credential": "c", "with": {"channel": "c"}, "input": {"text": 7}}           | /nodes/0/config/input/text      | must be a string              |
        | a field that is misspelt    | team_chat.post_message | {"credential": "c", "with": {"channel": "c", "chanel": "c"}, "input": {"text": "t"}} | /nodes/0/config/with/chanel | did you mean channel        |
        | a key that no node has      | team_chat.post_message | {"credential": "c", "with": {"channel": "c"}, "input": {"text": "t"}, "url": "x"} | /nodes/0/config/url         | is not a known member       |
        | a hole that does not compile | team_chat.post_message | {"credential": "c", "with": {"channel": "c"}, "input": {"text": "{{ x + }}"}} | /nodes/0/config/input/text     | .                           |
