Feature: Rejected deliveries

  Rule: A delivery without the secret is rejected

    @HOOK-015 @HOOK-016 @ERR-021
    Scenario: a delivery without a secret is rejected
      Given the event hook "in" with '{}'
      And a delivery of '{}' as "application/json"
      When it is delivered to "{ingest}"
      Then the answer is 401 with code "hook_secret_missing"
      And "detail" of the answer matches "X-Svc-Hook-Secret"
      And there are 0 events "hook.in"

    @contract
    Scenario: a wrong secret and an unknown address get the same response
      Given the event hook "in" with '{}'
      When it is delivered to "{ingest}" with the headers:
        | X-Svc-Hook-Secret | wrong |
      Then the answer is 401 with code "hook_secret_wrong"
      And the answer is noted as "wrong"
      When it is delivered to "{base_url}/api/v1/hooks/hook_00000000000000000000000000" with the headers:
        | X-Svc-Hook-Secret | wrong |
      Then the answer is 401
      And the answer differs from "wrong" in nothing but its request
      When it is delivered to "{base_url}/api/v1/hooks/anything" with the headers:
        | X-Svc-Hook-Secret | {secret} |
      Then the answer is 401
      And the answer differs from "wrong" in nothing but its request
      And there are 0 events "hook.in"

    @own-server @configured @contract
    Scenario: a secret in the address appears in no log and no metric
      Given a server and an agent of their own with:
        | SVC_LOG_LEVEL | debug |
      And the event hook "in" with '{}'
      When it is delivered to "{ingest}?secret={secret}&a=1"
      Then it became an event "hook.in" with '{"body":{},"query":{"a":"1"}}'
      When it is delivered to "{ingest}?secret=canary-of-the-query"
      Then the answer is 401
      And the log of the server lacks "{secret}"
      And the log of the server lacks "canary-of-the-query"
      And no page of "/metrics" has "canary-of-the-query"
      And no page of "{scoped}/events" has "{secret}"
      And no page of "{scoped}/event-types" has "{secret}"

  @contract
  Rule: An invalid hook is rejected with the position of the problem

    Scenario Outline: a hook is rejected: <what>
      When I send "PUT" to "{scoped}/event-hooks/<name>" with:
        """
        <body>
        """
      Then the answer is 400 with code "invalid_request"
      And the answer names the faults "<pointers>"
      And the answer lacks "key-of-mine"

      Examples:
        | what                       | name | body                                                  | pointers     |
        | a name that is none        | a.b  | {}                                                    | /path/hook   |
        | a type that is none        | in   | {"event_type": "a b"}                                 | /event_type  |
        | a type of the service      | in   | {"event_type": "run.started"}                         | /event_type  |
        | a member that is unknown   | in   | {"secret": "key-of-mine"}                             | /secret      |
        | no type for a name of the service's | run | {"manifest": "standard_webhooks", "key": "whsec_YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh"} | /event_type |
        | no type for the name of ticks | schedule | {"manifest": "standard_webhooks", "key": "whsec_YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh"} | /event_type |
        | a connector that is none   | in   | {"manifest": "absent", "key": "key-of-mine"}          | /manifest    |
        | no key                     | in   | {"manifest": "forge_a"}                               | /key         |
        | an empty key               | in   | {"hmac": {"header": "X", "key": ""}}                  | /hmac/key    |
        | two ways to sign           | in   | {"manifest": "forge_a", "hmac": {"header": "X", "key": "key-of-mine"}} | /hmac |

  @contract
  Rule: A sender that sends too much is rate-limited

    @own-server @configured
    Scenario: each hook has a separate rate limit, and forged deliveries do not count
      Given a server and an agent of their own with:
        | SVC_RATE_LIMIT | delivery=2/h |
      And the event hook "one" with '{}'
      When it is delivered to "{ingest}?secret=forged"
      Then the answer is 401
      When it is delivered with the secret
      And it is delivered with the secret
      And it is delivered with the secret
      Then the answer is 429 with code "rate_limited"
      And the header "Retry-After" of the answer matches "^\d+$"
      Given the event hook "two" with '{}'
      When it is delivered with the secret
      Then the answer is 202
