Feature: Event hooks

  Rule: A hook has a name, a stable address and a secret that is shown once

    @HOOK-001 @HOOK-002 @HOOK-003 @HOOK-004 @HOOK-005
    Scenario: a hook is set and used over the HTTP API
      When I send "PUT" to "{scoped}/event-hooks/builds" with:
        """
        {"event_type": "build.done"}
        """
      Then the answer is 201
      And "name" of the answer is "builds"
      And "mode" of the answer is "token"
      And "event_type" of the answer is "build.done"
      # @contract
      And "ingest_url" of the answer matches "^http.*/api/v1/hooks/hook_[0-9A-Z]{26}$"
      And "ingest_url" of the answer is noted as "ingest"
      And "secret" of the answer matches "^[A-Za-z0-9_-]{43}$"
      And "secret" of the answer is noted as "secret"
      When I send "GET" to "{scoped}/event-hooks/builds"
      Then the answer is 200
      And "ingest_url" of the answer is "{ingest}"
      And the answer lacks "{secret}"
      When I send "GET" to "{scoped}/event-hooks"
      Then the answer lists 1 "event_hooks"
      And the answer lacks "{secret}"
      When I send "PUT" to "{scoped}/event-hooks/builds" with:
        """
        {"event_type": "build.over"}
        """
      Then the answer is 200
      And the answer lacks "secret\":"
      And it is delivered with the secret
      And it became an event "build.over" with '{"body":{},"query":{}}'

    @CLI-037 @CLI-041 @CLI-042 @CLI-043
    Scenario: a hook is set and used from the command line
      When I call "svc event-hook set builds --event-type build.done"
      # @contract
      Then standard output matches "^address +http.*/api/v1/hooks/hook_[0-9A-Z]{26}$"
      # @contract
      And standard output matches "^secret +[A-Za-z0-9_-]{43}$"
      # @contract
      And standard error has "not shown again. Senders put it in the X-Svc-Hook-Secret header"
      When I call "svc event-hook set other --event-type other.done --json"
      And its address and secret are noted from standard output
      And I call "svc event-hook ls"
      Then standard output has "other"
      And standard output has "builds"
      # @contract
      And standard output matches "^other +token +other.done +{ingest}"
      # @contract
      And standard output matches "^builds +token +build.done"
      And standard output lacks "{secret}"
      When I call "svc event-hook show other"
      Then standard output has "{ingest}"
      # @contract
      And standard output matches "^address +{ingest}$"
      And standard output lacks "{secret}"
      When it is delivered with the secret
      Then it became an event "other.done" with '{"body":{},"query":{}}'
      When I call "svc event-hook rm other"
      And I call "svc event-hook show other"
      Then it exits with 1
      When it is delivered with the secret
      Then the answer is 401 with code "hook_secret_wrong"

    @AUTH-031 @CLI-040
    Scenario: after a rotation the old secret is rejected
      Given the event hook "builds" with '{"event_type": "build.done"}'
      And it is delivered with the secret
      And it became an event "build.done" with '{"body":{},"query":{}}'
      When I call "svc event-hook rotate builds --json"
      And it is delivered with the secret
      Then the answer is 401 with code "hook_secret_wrong"
      When its address and secret are noted from standard output
      And it is delivered with the secret
      Then it became an event "build.done" with '{"body":{},"query":{}}'

    @contract
    Scenario: a misspelt event type gets a warning
      Given a file "note.sh":
        """
        echo note
        """
      When I call "svc handler set note note.sh --on order.paid"
      And I call "svc event-hook set shop --event-type order.piad"
      Then it exits with 0
      And standard error has "warning: no handler matches the type order.piad; did you mean `order.paid`?"
      When I call "svc event-hook set shop --event-type order.paid"
      Then standard error lacks "warning"

  Rule: A delivery becomes an ordinary event

    @OVW-026 @EVT-025
    Scenario: a delivery wakes a waiting run
      Given the event hook "builds" with '{"event_type": "build.done"}'
      When I submit the script "wait.sh":
        """
        svc wait-event build.done
        """
      Then the run waits for "event" "build.done"
      Given a delivery of '{"version": 7}' as "application/json"
      When it is delivered with the secret
      Then the run succeeds
      And the log has '"payload":{"body":{"version":7},"query":{}}'
      And "source" of the last event "build.done" is "hook"
      And "source_name" of the last event "build.done" is "builds"
      And "trusted" of the last event "build.done" is "true"

  @contract
  Rule: Project members can read hooks, and admins can change them

    Scenario Outline: permissions of a <role>
      Given the event hook "builds" with '{}'
      And a token of every role
      When I send "GET" to "{scoped}/event-hooks/builds" with the token "{<role>}"
      Then the answer is <look>
      When I send "DELETE" to "{scoped}/event-hooks/builds" with the token "{<role>}"
      Then the answer is <remove>

      Examples:
        | role   | look | remove |
        | viewer | 200  | 403    |
        | member | 200  | 403    |
        | admin  | 200  | 204    |
