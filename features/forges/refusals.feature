@contract
Feature: Rejected webhooks and deliveries

  Rule: An invalid webhook is rejected when it is set

    Scenario Outline: a webhook is rejected: <what>
      When I send "PUT" to "{scoped}/webhooks/w" with:
        """
        <body>
        """
      Then the answer is <status> with code "<code>"
      And the answer names the faults "<pointer>"
      When I send "GET" to "{scoped}/webhooks/w"
      Then the answer is 404 with code "not_found"

      Examples:
        | what                         | body                                                                                                  | status | code                  | pointer         |
        | no forge                     | {"repo": "a/b"}                                                                                       | 400    | invalid_request       | /forge          |
        | a forge that nobody describes | {"forge": "smithy", "repo": "a/b"}                                                                   | 400    | invalid_request       | /forge          |
        | a repository without owner   | {"forge": "forge_a", "repo": "site"}                                                                  | 400    | invalid_request       | /repo           |
        | a token over plain http      | {"forge": "forge_a", "repo": "a/b", "api_base": "http://forge.example"}                               | 400    | invalid_request       | /api_base       |
        | registering without a token  | {"forge": "forge_a", "repo": "a/b", "auto_register": true}                                            | 400    | invalid_request       | /credential     |
        | a kind that nobody brings    | {"forge": "forge_a", "repo": "a/b", "workflow": {"source": "x", "kind": "spell"}}                     | 400    | workflow_kind_unknown | /workflow/kind  |
        | a script that does not parse | {"forge": "forge_a", "repo": "a/b", "workflow": {"filename": "a.sh", "source": "if then"}}            | 422    | workflow_invalid      | /workflow/source |
        | two workflows                | {"forge": "forge_a", "repo": "a/b", "workflow": {"source": "x"}, "pipeline": "x"}                     | 400    | invalid_request       | /workflow       |
        | a member that nobody knows   | {"forge": "forge_a", "repo": "a/b", "branch": "main"}                                                 | 400    | invalid_request       | /branch         |

  Rule: A signed delivery can still be rejected

    Background:
      Given the webhook "site" with '{"forge": "forge_a", "repo": "acme/site"}'

    Scenario: a delivery for another repository is rejected
      When forge_a delivers "issues" to "site":
        """
        {"repository": {"full_name": "acme/elsewhere"}}
        """
      Then the answer is 422 with code "delivery_foreign"

    Scenario: a delivery whose event name is not a valid type is rejected
      When forge_a delivers "issues and more" to "site":
        """
        {}
        """
      Then the answer is 400 with code "event_type_invalid"

    Scenario: a delivery that is not an object is rejected
      When forge_a delivers "issues" to "site":
        """
        [1, 2]
        """
      Then the answer is 400 with code "invalid_request"

    Scenario Outline: a delivery of <size> MiB is rejected and appears in the audit log
      When forge_a delivers "issues" with <size> MiB to "site" as "too-much"
      Then the answer is 413 with code "payload_too_large"
      When I send "GET" to "{scoped}/audit?action=delivery.refuse"
      Then the answer is 200
      And "entries.0.subject" of the answer is "site"
      And "entries.0.detail" of the answer is "<why>"

      Examples:
        | size | why                                                                     |
        | 3    | issues too-much: the payload has more than 2097152 bytes                |
        | 9    | issues too-much: the delivery is 9437196 bytes long; the limit is 8388608   |

  Rule: Only project admins can set webhooks

    Scenario: a member can read webhooks, and only an admin can set them
      Given the webhook "site" with '{"forge": "forge_a", "repo": "acme/site"}'
      And a token of every role
      When I send "DELETE" to "{scoped}/webhooks/site" with the token "{member}"
      Then the answer is 403 with code "forbidden"
      When I send "GET" to "{scoped}/webhooks/site" with the token "{member}"
      Then the answer is 200

  Rule: A server does not start with an invalid expression in a manifest

    @own-server
    Scenario: svc serve exits and shows the file and the member with the expression
      Given a file "broken/manifest.json":
        """
        {"manifest": "svc-connector/v1", "name": "smithy", "title": "A forge of ours",
         "hook": {"signature": {"header": "X-Sig", "algorithm": "sha256", "encoding": "hex"}},
         "forge": {"repo": "/repo", "sender": ["/who"], "trust": {"push": "payload.who =="},
           "push": {"event": "push", "ref": "/ref", "sha": "/sha", "commits": "/commits", "paths": ["files"], "paths_known": "true"}}}
        """
      When I call "svc serve" with the settings:
        | SVC_CONNECTORS | {folder}/broken |
        | SVC_PORT       | 0               |
      Then it exits with 1
      And standard error has "smithy: /forge/trust/push"
