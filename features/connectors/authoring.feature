Feature: Writing a connector

  Rule: A manifest is checked and rendered without a server

    @MAN-004 @MAN-005 @MAN-007 @MAN-009
    Scenario: a connector can have fields, actions with separate inputs, and Markdown
      Given a file "desk/manifest.json":
        """
        {
          "manifest": "svc-connector/v1", "name": "desk", "title": "Desk",
          "credential": { "kind": "basic" },
          "fields": [{ "name": "queue", "type": "string", "default": "all" }],
          "actions": {
            "open": {
              "inputs": [{ "name": "text", "type": "string", "required": true, "markdown": true }],
              "request": { "method": "POST", "url": "https://desk.example.org/{{ with.queue }}", "encoding": "form",
                "body": { "source": "{{ input.text }}", "html": "{{ html(input.text) }}", "plain": "{{ plain(input.text) }}" } }
            },
            "close": {
              "inputs": [{ "name": "id", "type": "integer", "required": true }],
              "request": { "method": "DELETE", "url": "https://desk.example.org/{{ with.queue }}/{{ input.id }}" }
            }
          }
        }
        """
      When I call "svc connector check {folder}/desk"
      Then standard output has "desk is valid (2 actions, 0 examples)"
      When I call svc with the arguments:
        | connector | render | desk.open | --from | {folder}/desk | --input | {"text": "**a** & [b](https://x.example.org)"} | --json |
      Then standard output is JSON whose "body.source" is "**a** & [b](https://x.example.org)"
      And standard output is JSON whose "body.html" is "<p><strong>a</strong> &amp; <a href=\"https://x.example.org\">b</a></p>"
      And standard output is JSON whose "body.plain" is "a & b (https://x.example.org)"
      And standard output is JSON whose "headers.authorization" is "Basic ***"
      When I call svc with the arguments:
        | connector | render | desk.close | --from | {folder}/desk | --input | {"id": 7} | --with | {"queue": "a/b"} |
      Then standard output has "DELETE https://desk.example.org/a%2Fb/7"

    @MAN-002 @MAN-003 @MAN-008
    Scenario Outline: a problem is reported with its position, the rule and a fix: <what>
      Given a file "bad.json":
        """
        { "manifest": "svc-connector/v1", "name": "<name>", "title": "Bad", "credential": { "kind": "<kind>" }<more>,
          "actions": { "go": { "request": { "method": "POST", "url": "https://x.example.org/", "body": "<body>" } } } }
        """
      When I call "svc connector check {folder}/bad.json"
      Then it exits with 1
      And standard output matches "bad\.json: <pointer>: .*\[<rule>\]; <fix>"

      Examples:
        | what                  | name      | kind    | more            | body                     | pointer                  | rule            | fix                 |
        | code                  | bad       | bearer  | , "code": "x()" | x                        | /code                    | unknown_member  | remove it.*no code  |
        | a call of a program   | bad       | bearer  |                 | {{ require('fs') }}      | /actions/go/request/body | hole_invalid    | use with            |
        | a variable of nobody  | bad       | bearer  |                 | {{ input.nope }}         | /actions/go/request/body | name_undeclared | add                 |
        | a hole of no language | bad       | bearer  |                 | {{ 1 + }}                | /actions/go/request/body | hole_invalid    | write a CEL        |
        | a kind of the CLI     | bad       | api-key |                 | x                        | /credential/kind         | schema          | change it           |
        | a name that is taken  | team_chat | bearer  |                 | x                        | /name                    | name_taken      | give the connector  |

    @contract
    Scenario: an example that does not match the rendered request is reported
      When I call "svc connector init my_chat"
      Then standard error has "svc connector check my_chat"
      When I call "svc connector check my_chat"
      Then standard output has "my_chat is valid (1 action, 1 example)"
      And the file "my_chat/README.md" has "my_chat.send"
      When I call "svc connector check my_chat" with the settings:
        | SVC_CONNECTORS | {folder}/no-such-folder |
      Then it exits with 0
      When the text "rooms/ops" of the file "my_chat/manifest.json" becomes "rooms/dev"
      And I call "svc connector check my_chat"
      Then it exits with 1
      And standard output has "/examples/0/request/url: is"
      When I call "svc connector init my_chat"
      Then it exits with 2
      And standard error has "it already exists"

    @contract
    Scenario: the examples of an action show which responses are failures and which are pages
      Given a file "desk.json":
        """
        { "manifest": "svc-connector/v1", "name": "desk", "title": "Desk",
          "actions": {
            "list": {
              "request": { "method": "GET", "url": "https://desk.example.org/tickets" },
              "failed_when": { "when": "!body.ok", "message": "body.error" },
              "paginate": { "kind": "cursor", "items": "body.tickets", "next": "body.next", "query": "cursor" } } },
          "examples": [
            { "action": "list", "request": { "method": "GET", "url": "https://desk.example.org/tickets" },
              "response": { "status": 200, "body": { "ok": true, "tickets": [1], "next": "c2" } } },
            { "action": "list", "request": { "method": "GET", "url": "https://desk.example.org/tickets" },
              "response": { "status": 200, "body": { "ok": false, "error": "closed" } }, "failed": "closed" } ] }
        """
      When I call "svc connector check {folder}/desk.json"
      Then standard output has "desk is valid (1 action, 2 examples)"
      When the text "body.tickets" of the file "desk.json" becomes "body.rows"
      And the text "body.error" of the file "desk.json" becomes "body.reason"
      And I call "svc connector check {folder}/desk.json"
      Then it exits with 1
      And standard output has "/examples/0/response: paginate.items: body.rows: no such field"
      And standard output has "/examples/1/failed: is "
      When the text "body.next" of the file "desk.json" becomes "input.next"
      And I call "svc connector check {folder}/desk.json"
      Then it exits with 1
      And standard output has "/actions/list/paginate/next: line 1, column 1: "

    @contract
    Scenario: an OpenAPI document becomes a connector
      Given a file "openapi.yaml":
        """
        openapi: 3.0.3
        info: { title: Parcel API, version: "2" }
        servers: [{ url: https://parcels.example.org/v2 }]
        security: [{ key: [] }]
        components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key } } }
        paths:
          /parcels/{id}:
            get:
              operationId: getParcel
              parameters: [{ name: id, in: path, required: true, schema: { type: string }, example: p7 }]
              responses: { "200": { content: { application/json: { example: { id: p7 } } } } }
          /labels:
            post:
              operationId: uploadLabel
              requestBody: { required: true, content: { multipart/form-data: {} } }
        """
      When I call "svc connector import {folder}/openapi.yaml"
      Then standard output has "parcel (1 action)"
      And standard error has "upload_label: is left out: its body can only be sent as multipart/form-data"
      When I call "svc connector check parcel"
      Then standard output has "parcel is valid (1 action, 1 example)"
      When I call svc with the arguments:
        | connector | render | parcel.get_parcel | --from | parcel | --input | {"id": "a/b"} |
      Then standard output has "GET https://parcels.example.org/v2/parcels/a%2Fb"
      And standard output has "x-key: ***"
      When I call "svc connector import {folder}/openapi.yaml"
      Then it exits with 2
      And standard error has "it already exists"

    @contract
    Scenario: a node's idempotency key appears unchanged in a URL path
      When I call svc with the arguments:
        | connector | render | federated_chat.send_message | --with | {"homeserver": "https://chat.example.org", "room_id": "!a:b"} | --input | {"text": "done"} |
      Then standard output has "/send/m.room.message/run_example~node"

    @contract
    Scenario: wrong values are reported, and nothing is rendered
      When I call "svc connector render forge_a.set_commit_status"
      Then it exits with 1
      And standard error has "/input/repo is required"
      When I call "svc connector render forge_a.none"
      Then it exits with 1
      And standard error has "forge_a.report_run_status"

  Rule: A connector is installed from a folder or a package when the server starts

    @own-server @configured @MAN-001 @MAN-005
    Scenario: graphs, handlers and the command line use connectors from a folder and an npm package
      Given a file "notes/manifest.json":
        """
        { "manifest": "svc-connector/v1", "name": "notes", "title": "Notes",
          "fields": [{ "name": "base", "type": "string", "required": true }],
          "actions": { "write": {
            "inputs": [{ "name": "text", "type": "string", "required": true }],
            "request": { "method": "POST", "url": "{{ with.base }}/notes", "body": { "text": "{{ input.text }}" } } } } }
        """
      And the package "svc-connector-memos" with the file "manifest.json":
        """
        { "manifest": "svc-connector/v1", "name": "memos", "title": "Memos",
          "actions": { "write": {
            "inputs": [{ "name": "url", "type": "string", "required": true }],
            "request": { "method": "PUT", "url": "{{ input.url }}", "body": "memo", "encoding": "text" } } } }
        """
      And a server and an agent of their own with:
        | SVC_CONNECTORS | {folder}/notes:{folder}/node_modules/svc-connector-memos |
      And a far end
      When I run the node "notes.write" with:
        """
        {"with": {"base": "{far}"}, "input": {"text": "from a node"}}
        """
      Then the run succeeds
      When I call svc with the arguments:
        | handler  | set | note | --on | thing.done | --node | notes.write |
        | --config | {"with": {"base": "{far}"}, "input": {"text": "{{ input.payload.what }}"}} | | | | | |
      And I emit "thing.done" with '{"what": "from a handler"}'
      Then the project comes to rest
      When I run the graph:
        """
        {"nodes": [{"id": "m", "type": "memos.write", "config": {"input": {"url": "{far}/memo?sig=a%2Fb"}}}]}
        """
      Then the run succeeds
      And the far end got:
        | method | path             | body                     |
        | POST   | /notes           | {"text":"from a node"}    |
        | POST   | /notes           | {"text":"from a handler"} |
        | PUT    | /memo?sig=a%2Fb  | memo                     |
      When I call "svc connector show memos"
      Then standard output has "url: string, required"

    @far-end @own-server @configured @VER-005
    Scenario: a copy of a built-in connector works under another name
      When I call "svc connector show team_chat --json"
      And I keep standard output as "own/manifest.json"
      And the text "team_chat" of the file "own/manifest.json" becomes "own_chat"
      And I call "svc connector check {folder}/own"
      Then standard output has "own_chat is valid"
      Given a server and an agent of their own with:
        | SVC_CONNECTORS | {folder}/own |
      And a team chat with the token "tok-team-chat" and the channel "#ops"
      And the credential "chat" is '{"kind": "bearer", "token": "tok-team-chat"}'
      When I run the node "own_chat.post_message" with:
        """
        {"credential": "chat", "with": {"channel": "#ops", "api_base": "{far}/api"}, "input": {"text": "as the built-in"}}
        """
      Then the run succeeds
      And the channel has the message "as the built-in"
      When I call svc with the arguments:
        | connector | record | own_chat.post_message | --from | {folder}/own | --credential | chat |
        | --with | {"channel": "#ops", "api_base": "{far}/api"} | --input | {"text": "recorded"} | | | |
      Then standard output has "example 6 of own_chat.post_message, answered 200"
      And the file "own/manifest.json" is JSON with:
        | examples.5.input.text        | recorded                |
        | examples.5.request.url       | {far}/api/chat.postMessage |
        | examples.5.response.body.ts  | 2.000100                |
      When I call "svc connector check {folder}/own"
      Then standard output has "own_chat is valid (1 action, 6 examples)"
      When the text "chat.postMessage" of the file "own/manifest.json" becomes "chat.post"
      And I call svc with the arguments:
        | connector | record | own_chat.post_message | --from | {folder}/own | --credential | chat |
        | --with | {"channel": "#ops", "api_base": "{far}/api"} | --input | {"text": "x"} | | | |
      Then it exits with 1
      And standard error has "the server has another version of own_chat.post_message"
      And it was asked 2 times

    @contract
    Scenario: a connector package is found by its name
      Given the package "svc-connector-memos" with the file "manifest.json":
        """
        { "manifest": "svc-connector/v1", "name": "memos", "title": "Memos",
          "actions": { "write": { "request": { "method": "PUT", "url": "https://memos.example.org/", "body": "memo" } } } }
        """
      When I call "svc connector render memos.write" with the settings:
        | SVC_CONNECTORS | svc-connector-memos |
      Then standard output has "PUT https://memos.example.org/"
      When I call "svc plugins" with the settings:
        | SVC_CONNECTORS | svc-connector-memos |
      Then standard output has "connector:memos"
