@contract
Feature: Rate limits

  @own-server @configured
  Scenario: each token has a rate limit, and the response to a rejected request shows when to retry
    Given a server and an agent of their own with:
      | SVC_RATE_LIMIT | token=300/h |
    And a token noted as "busy" with:
      """
      {"org": "{org}"}
      """
    When I send "GET" to "{scoped}/runs" 300 times with the token "{busy}"
    Then the answer is 200
    When I send "GET" to "{scoped}/runs" 10 times with the token "{busy}"
    Then the answer is 429 with code "rate_limited"
    And the header "retry-after" of the answer matches "^[1-9]\d*$"
    And "detail" of the answer matches "this token"
    When I send "GET" to "{scoped}/runs"
    Then the answer is 200
    When I send "GET" to "/readyz" 10 times with the token "{busy}"
    Then the answer is 200

  @own-server @configured
  Scenario: an address that guesses tokens is rate-limited
    Given a server and an agent of their own with:
      | SVC_RATE_LIMIT | failed=5/m |
    And a token noted as "right" with:
      """
      {"org": "{org}"}
      """
    When I send "GET" to "{scoped}/runs" 5 times with the token "svc_pat_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    Then the answer is 401 with code "not_authenticated"
    When I send "GET" to "{scoped}/runs" with the token "svc_pat_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB"
    Then the answer is 429 with code "rate_limited"
    And "detail" of the answer matches "failed authentications"
    And the header "retry-after" of the answer matches "^[1-9]\d*$"
    # It was never seen from here before, and nobody's guesses lock out its holder.
    When I send "GET" to "{scoped}/runs" with the token "{right}"
    Then the answer is 200
    When I submit the script "job.sh":
      """
      echo done
      """
    Then the run succeeds

  Scenario: a server does not start with an invalid rate limit
    When I call "svc serve" with the settings:
      | SVC_RATE_LIMIT | token=many |
    Then it exits with 1
    And standard error has "SVC_RATE_LIMIT"
    And standard error has "(setting_invalid)"
