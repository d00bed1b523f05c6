@contract
Feature: Runs are exported as CSV and as JSON lines

  Rule: An export contains all runs that match, but no formulas and no secret values

    @store
    Scenario: runs are exported as a table, as its continuation, and as JSON lines
      Given the secret "TOKEN" is "hunter2-canary-77"
      When I submit the script "first.sh" as "first":
        """
        svc output set note="=cmd, then $TOKEN"
        """
      Then the run succeeds
      When I submit the script "=second.sh" as "second":
        """
        exit 3
        """
      Then the run is "failed"
      When I call "svc runs export --format csv"
      Then it exits with 0
      And standard output matches "^run_id,status,kind,workflow,subject,"
      And standard output matches "run_[0-9A-Z]+,failed,script,'=second\.sh,"
      And standard output matches ",first\.sh,.*note"
      And standard output lacks "hunter2-canary-77"
      When I call "svc runs export --format csv --before {run}"
      Then it exits with 0
      And standard output matches "^run_[0-9A-Z]+,succeeded,script,first\.sh,"
      When I call "svc runs export --status succeeded"
      Then standard output matches "^\{.run_id.:.run_[0-9A-Z]+.,.*first\.sh"
      And standard output lacks "second.sh"
      When I call "svc runs export --workflow none"
      Then it exits with 0
      When I call "svc runs export --tag ''"
      Then it exits with 1
      And standard error has "tag must have at least 1 character"
      When I send "GET" to "{scoped}/run-export?format=xml"
      Then the answer is 400 with code "invalid_request"
