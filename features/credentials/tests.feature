@contract @far-end
Feature: Tests of credentials

  Rule: A test shows whether another system accepts a credential

    Scenario Outline: a GET to a URL that answers <status> says that it <result>
      Given a far end that answers:
        | path | status   | body                          |
        | /me  | <status> | you sent tok-tested-canary-77 |
      And the credential "bot" is '{"kind": "bearer", "token": "tok-tested-canary-77"}'
      When I call "svc credential test bot --url {far}/me"
      Then it exits with <exit>
      And standard output has "<result>: 127.0.0.1"
      And standard output has "answered <status>"
      And standard output lacks "canary"
      And the far end got:
        | method | path | authorization               |
        | GET    | /me  | Bearer tok-tested-canary-77 |
      When I send "GET" to "{scoped}/audit"
      Then the answer has '"credential.test"'
      And the answer lacks "canary"

      Examples:
        | status | result      | exit |
        | 200    | works       | 0    |
        | 302    | works       | 0    |
        | 401    | refused     | 1    |
        | 403    | refused     | 1    |
        | 404    | unclear     | 1    |
        | 503    | unreachable | 1    |

    Scenario: a connector defines what to send and how to read the response
      Given a far end that answers:
        | path       | status | type             | body                                    |
        | /auth.test | 200    | application/json | {"ok": false, "error": "invalid_auth"}  |
        | /auth.test | 200    | application/json | {"ok": false, "error": "ratelimited"}   |
        | /auth.test | 200    | application/json | {"ok": true}                            |
      And the credential "bot" is '{"kind": "bearer", "token": "tok-tested-canary-77"}'
      When I call svc with the arguments:
        | credential | test | bot | --connector | team_chat | --with | {"api_base": "{far}"} |
      Then it exits with 1
      And standard output has "refused: Team chat answered 200, but by failed_when"
      When I call svc with the arguments:
        | credential | test | bot | --connector | team_chat | --with | {"api_base": "{far}"} |
      Then it exits with 1
      And standard output has "Try again later"
      When I call svc with the arguments:
        | credential | test | bot | --connector | team_chat | --with | {"api_base": "{far}"} |
      Then it exits with 0
      And standard output is "works: Team chat answered 200"
      And the far end got 3 requests

    Scenario: the token of a URL is put in its place
      Given a far end that answers:
        | path                            | status | body |
        | /bottok-tested-canary-77/getMe  | 200    | {}   |
      And the credential "bot" is '{"kind": "url_token", "token": "tok-tested-canary-77"}'
      When I call svc with the arguments:
        | credential | test | bot | --connector | bot_chat | --with | {"api_base": "{far}"} |
      Then it exits with 0
      When I call "svc credential test bot --url {far}/me"
      Then it exits with 1
      And standard error has "/url must contain {credential}, where the token is put"
      And the far end got 1 request

  Rule: If a credential cannot be tested, the reason is shown, and nothing is sent

    Scenario: for a connector without a test request, the answer shows what to add to its manifest
      Given a far end
      And the credential "bot" is '{"kind": "bearer", "token": "tok-tested-canary-77"}'
      When I call "svc credential test bot --connector standard_webhooks"
      Then it exits with 1
      And standard output has "untested: the manifest of the connector standard_webhooks declares no test request"
      And standard output has '"test": {"request": {"method": "GET"'
      And the far end got 0 requests

    Scenario: allowed hosts, kinds and names are checked before anything is sent
      Given a far end
      And the credential "bot" is '{"kind": "bearer", "token": "tok-tested-canary-77", "hosts": ["example.com"]}'
      And a member "eve" with the role "viewer" and a token noted as "eve"
      When I call "svc credential test bot --url {far}/me"
      Then it exits with 1
      And standard error has "(credential_host_not_allowed)"
      When I call "svc credential test bot --connector issue_tracker"
      Then it exits with 1
      And standard error has "/with/site is required: it is part of the request's address (connector_input_invalid)"
      When I call svc with the arguments:
        | credential | test | bot | --connector | issue_tracker | --with | {"site": "{far}"} |
      Then it exits with 1
      And standard error has "(credential_wrong_kind)"
      When I call "svc credential test nobody --url {far}/me"
      Then it exits with 1
      And standard error has "(not_found)"
      When I call "svc credential test bot --connector nothing"
      Then it exits with 1
      And standard error has "/connector is no connector of this server"
      When I call "svc credential test bot"
      Then it exits with 2
      And standard error has "there must be either --connector or --url"
      When I call "svc credential test bot --url {far}/me" with "SVC_TOKEN" set to "{eve}"
      Then it exits with 1
      And standard error has "(forbidden)"
      And the far end got 0 requests

  Rule: A manifest declares the test as data

    Scenario Outline: a test is invalid if <what>
      Given a file "desk/manifest.json":
        """
        {"manifest": "svc-connector/v1", "name": "desk", "title": "Desk", <members>}
        """
      When I call "svc connector check {folder}/desk"
      Then it exits with 1
      And standard output has "<says>"

      Examples:
        | what                         | says                                             | members |
        | there is no credential       | /test: needs `credential`                        | "test": {"request": {"method": "GET", "url": "https://desk.example.org/me"}} |
        | it changes something         | /test/request/method: must be GET, HEAD, POST    | "credential": {"kind": "bearer"}, "test": {"request": {"method": "DELETE", "url": "https://desk.example.org/me"}} |
        | it reads an undeclared field | /test/request/url: {{ with.site }} reads with.site | "credential": {"kind": "bearer"}, "test": {"request": {"method": "GET", "url": "{{ with.site }}/me"}} |
        | a status has two meanings    | /test/refused: has 404                           | "credential": {"kind": "bearer"}, "test": {"request": {"method": "GET", "url": "https://desk.example.org/me"}, "accepted": [200, 404], "refused": [404]} |
        | an expression is wrong       | /test/failed_when/when: line 1                   | "credential": {"kind": "bearer"}, "test": {"request": {"method": "GET", "url": "https://desk.example.org/me"}, "failed_when": {"when": "body."}} |
