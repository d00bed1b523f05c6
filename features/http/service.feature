@contract
Feature: Self-description of a server

  Rule: Health, readiness and metrics need no token

    Scenario Outline: <path> returns <status> without a token
      When I send "GET" to "<path>" without a token
      Then the answer is <status>
      And the answer has "<text>"

      Examples:
        | path     | status | text |
        | /healthz | 200    | ok   |
        | /readyz  | 200    | ready |
        | /metrics | 200    | # TYPE svc_ |

  Rule: The API describes itself

    Scenario: the OpenAPI document lists every path used in these features
      When I send "GET" to "/api/v1/openapi.json" without a token
      Then the answer is 200
      And "openapi" of the answer matches "^3\.1\."
      And the document describes:
        | get  | /api/v1/whoami                                                  |
        | put  | /api/v1/orgs/{org}                                              |
        | put  | /api/v1/orgs/{org}/projects/{project}                           |
        | post | /api/v1/tokens                                                  |
        | get  | /api/v1/agents                                                  |
        | post | /api/v1/orgs/{org}/projects/{project}/runs                      |
        | get  | /api/v1/orgs/{org}/projects/{project}/runs                      |
        | get  | /api/v1/orgs/{org}/projects/{project}/runs/{run}                |
        | get  | /api/v1/orgs/{org}/projects/{project}/runs/{run}/steps          |
        | get  | /api/v1/orgs/{org}/projects/{project}/runs/{run}/logs           |
        | post | /api/v1/orgs/{org}/projects/{project}/runs/{run}/cancel         |
        | post | /api/v1/orgs/{org}/projects/{project}/runs/{run}/signals/{name} |
        | post | /api/v1/orgs/{org}/projects/{project}/check                     |

  Rule: A log can be followed and resumed

    @store
    Scenario: resuming from the last received event does not repeat any events
      When I submit the script "job.sh":
        """
        svc step first -- echo before
        svc wait-signal go >/dev/null
        svc step second -- echo after
        """
      Then the run waits for "signal" "go"
      And the log soon has "before"
      When I send the signal "go" with "null"
      Then the run succeeds
      When I follow the log over HTTP
      Then the followed text is "before\nafter\n" and the stream has ended
      When I follow the log over HTTP after its first event
      Then the followed text is "after\n" and the stream has ended

    @own-server @configured
    Scenario: With a public address, a run has a page
      Given a server and an agent of their own with:
        | SVC_PUBLIC_URL | https://svc.example.org/base |
      When I submit the script "job.sh":
        """
        true
        """
      Then the run succeeds
      And "run_url" of the run matches "^https://svc.example.org/base/.*{run}$"

    Scenario: without a public address, a run has no run_url
      When I submit the script "job.sh":
        """
        true
        """
      Then the run succeeds
      And the run has no "run_url"
