@contract
Feature: Audit log

  Rule: Every change leaves an audit entry with actor, action, subject, time, address and request

    Scenario: changes through the API and the CLI appear in the project's audit
      When I send "PUT" to "{scoped}/state/repo/flag" with:
        """
        {"value": "kept-private"}
        """
      Then the answer is 201
      And "x-request-id" of the headers is noted as "request"
      When I call "svc audit ls --json"
      Then standard output is JSON whose "entries.0.action" is "state.set"
      And standard output is JSON whose "entries.0.subject" is "repo/flag"
      And standard output is JSON whose "entries.0.request_id" is "{request}"
      And standard output matches "\"ip\": \"(127\.0\.0\.1|::1)\""
      And standard output matches "\"at\": \"20\d\d-"
      And standard output lacks "kept-private"

    Scenario: submissions, signals and cancellations are audited
      When I submit the script "waits.sh":
        """
        svc wait-signal go
        svc wait-signal stop
        """
      Then the run waits for "signal" "go"
      When I send the signal "go" with "\"kept-private\""
      And I cancel the run because "kept-private too"
      And I call "svc audit ls --action run"
      Then standard output matches "run\.cancel[^\n]*\n[^\n]*run\.signal[^\n]*\(go\)[^\n]*\n[^\n]*run\.submit[^\n]*\(waits\.sh\)"
      And standard output lacks "kept-private"

    @store
    Scenario: a rejected or repeated request leaves no entry
      Given a token noted as "low" with:
        """
        {"org": "{org}", "project": "{project}", "role": "viewer"}
        """
      When I send "PUT" to "{scoped}/state/a/b" with the token "{low}" and:
        """
        {"value": "x"}
        """
      Then the answer is 403 with code "forbidden"
      When I send "DELETE" to "{scoped}/state/a/b"
      Then the answer is 404 with code "not_found"
      When I call "svc audit ls --action state"
      Then it exits with 0
      And standard output is ""

    Scenario: members and tokens of the org are audited
      When I call "svc member set nora --role member"
      And I call "svc audit ls --org --action member.set --json"
      Then standard output is JSON whose "entries.0.subject" is "nora"
      And standard output is JSON whose "entries.0.detail" is "role member"

  Rule: Reading a secret is audited too

    Scenario: the entry shows who read the value, but never the value
      Given the secret "NPM_TOKEN" is "kept-private"
      And a member "mona" with the role "member" and a token noted as "mona"
      When I call "svc secret get NPM_TOKEN" with "SVC_TOKEN" set to "{mona}"
      Then it exits with 0
      When I call "svc audit ls --principal mona --action secret.read --since 1h --json"
      Then standard output is JSON whose "entries.0.subject" is "NPM_TOKEN"
      And standard output lacks "kept-private"

  Rule: Only admins and owners can read the audit log, and nobody can change it

    Scenario Outline: a <role> cannot read the <place> audit log
      Given a member "paul" with the role "<role>" and a token noted as "paul"
      When I send "GET" to "<path>" with the token "{paul}"
      Then the answer is 403 with code "forbidden"

      Examples:
        | place   | role   | path                     |
        | project | viewer | {scoped}/audit           |
        | project | member | {scoped}/audit           |
        | org     | admin  | /api/v1/orgs/{org}/audit |

    Scenario Outline: a <method> request to the audit log is rejected
      When I send "<method>" to "{scoped}/audit"
      Then the answer is 405 with code "method_not_allowed"

      Examples:
        | method |
        | PUT    |
        | POST   |
        | DELETE |
