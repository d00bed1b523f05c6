@contract
Feature: Authentication of API callers

  Rule: An invalid token gets 401 with advice on how to get a valid one

    Scenario Outline: a request is rejected: <what>
      When I send "GET" to "{scoped}/runs" with the header "authorization" of "<header>"
      Then the answer is 401 with code "not_authenticated"
      And the header "www-authenticate" of the answer matches "^Bearer"

      Examples:
        | what                   | header                                              |
        | a token that is none   | Bearer svc_pat_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA |
        | a token of no kind     | Bearer hello                                        |
        | another scheme         | Basic dXNlcjpwYXNz                                  |
        | nothing                |                                                     |

    Scenario: a revoked token stops working immediately
      Given a token noted as "ci" with:
        """
        {"org": "{org}"}
        """
      When I send "GET" to "{scoped}/runs" with the token "{ci}"
      Then the answer is 200
      When I send "DELETE" to "/api/v1/tokens/{ci_id}"
      Then the answer is 204
      When I send "GET" to "{scoped}/runs" with the token "{ci}"
      Then the answer is 401 with code "not_authenticated"

    Scenario: an expired token is rejected with advice on how to get a new one
      Given a token noted as "brief" with:
        """
        {"org": "{org}", "expires_in": 1}
        """
      Then the token "{brief}" is soon refused by "{scoped}/runs"
      When I call "svc runs ls" with "SVC_TOKEN" set to "{brief}"
      Then it exits with 4
      And standard error has "the token comes from SVC_TOKEN"
      And standard error has "→ "

    Scenario: a token is shown once and never listed
      Given a token noted as "shown" with:
        """
        {"org": "{org}"}
        """
      When I send "GET" to "/api/v1/tokens"
      Then the answer is 200
      And the answer has "{shown_id}"
      And the answer lacks "{shown}"

  Rule: A token works only for its own purpose

    Scenario: a token limited to one project cannot see another project
      Given another project noted as "other"
      And a token noted as "narrow" with:
        """
        {"org": "{org}", "project": "{project}", "role": "member"}
        """
      When I send "GET" to "{scoped}/runs" with the token "{narrow}"
      Then the answer is 200
      When I send "GET" to "/api/v1/orgs/{org}/projects/{other}/runs" with the token "{narrow}"
      Then the answer is 404 with code "not_found"

    Scenario: a token limited to one org cannot see another org
      Given another org noted as "rival" with the project "main"
      And a token noted as "foreign" with:
        """
        {"org": "{rival}"}
        """
      When I send "GET" to "/api/v1/orgs/{rival}/projects/main/runs" with the token "{foreign}"
      Then the answer is 200
      When I send "GET" to "{scoped}/runs" with the token "{foreign}"
      Then the answer is 404 with code "not_found"
      When I call "svc runs ls" with "SVC_TOKEN" set to "{foreign}"
      Then it exits with 1
      And standard error has "(not_found)"

    Scenario Outline: a project <role> <may> submit a run
      Given a token noted as "it" with:
        """
        {"org": "{org}", "project": "{project}", "role": "<role>"}
        """
      When I send "GET" to "{scoped}/runs" with the token "{it}"
      Then the answer is 200
      When I send "POST" to "{scoped}/runs" with the token "{it}" and:
        """
        {"filename": "job.sh", "source": "true"}
        """
      Then the answer is <status>
      And <after>

      Examples:
        | role   | may     | status                     | after                                       |
        | viewer | may not | 403 with code "forbidden"  | "detail" of the answer matches "member role" |
        | member | may     | 201                        | the run of the answer succeeds              |
        | admin  | may     | 201                        | the run of the answer succeeds              |

    Scenario: an agent's token cannot call user routes
      Given a token noted as "agent" with:
        """
        {"org": "{org}", "kind": "agent"}
        """
      When I send "GET" to "{scoped}/runs" with the token "{agent}"
      Then the answer is 403 with code "forbidden"

    Scenario: nobody can create a token with more permissions than their own
      Given a token noted as "low" with:
        """
        {"org": "{org}", "project": "{project}", "role": "member"}
        """
      When I send "POST" to "/api/v1/tokens" with the token "{low}" and:
        """
        {"name": "high", "org": "{org}", "project": "{project}", "role": "admin"}
        """
      Then the answer is 403 with code "forbidden"
