@contract
Feature: Conventions of the HTTP API

  Rule: A rejection is a problem document with a stable code

    Scenario Outline: a rejection is a problem document: <what>
      When I send "<method>" to "<path>"
      Then the answer is <status> with code "<code>"
      And "next" of the answer matches "\w"

      Examples:
        | what                         | method | path                  | status | code               |
        | a path that is none          | GET    | /api/v1/nothing       | 404    | not_found          |
        | a project that is none       | GET    | /api/v1/orgs/{org}/projects/none/runs | 404 | not_found |
        | an org that is none          | GET    | /api/v1/orgs/none-such | 404   | not_found          |
        | a method that is not taken   | DELETE | {scoped}/runs         | 405    | method_not_allowed |
        | a path that is not decodable | GET    | {scoped}/runs/%ff     | 400    | invalid_request    |
        | a query member that is none  | GET    | {scoped}/runs?x=1     | 400    | invalid_request    |

    Scenario: the response to a rejected method lists the allowed methods
      When I send "DELETE" to "{scoped}/runs"
      Then the answer is 405 with code "method_not_allowed"
      And the header "allow" of the answer matches "GET.*POST|POST.*GET"

    Scenario: every response has a request ID, which the problem document repeats
      When I send "GET" to "/api/v1/nothing"
      Then the answer is 404
      And "request_id" of the answer is the header "x-request-id"

  Rule: A body is checked before anything is done

    Scenario Outline: <what> is rejected
      When I send "POST" to "{scoped}/runs" as "<type>" with:
        """
        <body>
        """
      Then the answer is <status> with code "<code>"

      Examples:
        | what                      | type             | body                              | status | code                   |
        | a body that is not JSON    | application/json | {"source":                        | 400    | invalid_request        |
        | a body that is a list     | application/json | []                                | 400    | invalid_request        |
        | another type of body      | text/plain       | true                              | 415    | unsupported_media_type |
        | a form                    | application/x-www-form-urlencoded | a=b              | 415    | unsupported_media_type |

    Scenario: every problem of a body is listed with its position
      When I send "POST" to "{scoped}/runs" with:
        """
        {"source": "true", "tags": 7, "subjekt": "x"}
        """
      Then the answer is 400 with code "invalid_request"
      And the answer names the faults "/subjekt /tags"

    Scenario: nesting deeper than 100 levels is rejected as an invalid request
      When I submit a script with an input 5000 deep
      Then the answer is 400 with code "invalid_request"

    Scenario: a signal's payload of 2 MiB is accepted, and one byte more is not
      When I submit the script "job.sh":
        """
        svc wait-signal never
        """
      Then the run waits for "signal" "never"
      When I send a JSON text of 2097152 bytes to "{scoped}/runs/{run}/signals/big"
      Then the answer is 202
      When I send a JSON text of 2097153 bytes to "{scoped}/runs/{run}/signals/big"
      Then the answer is 413 with code "payload_too_large"
      When I cancel the run because "seen enough"
      Then the run is "cancelled"
