@contract
Feature: Ten realistic pipelines

  Each of them is a repository in `realistic/`, which the scenario makes with git and pushes.

  @needs-git
  Scenario: a Node build runs tests in a matrix with a cache, and then the build
    Given the repository "greeter" of the example "node-build"
    And the webhook "ci" runs the pipeline of "greeter" with '{}'
    When somebody commits "package.json" to "greeter":
      """
      { "name": "greeter-{project}", "version": "1.5.0", "type": "module" }
      """
    And the push of "greeter" to "refs/heads/main" reaches "ci" as "build"
    Then the pipeline "build" becomes "succeeded"
    And "output.caches" of the run is '["miss","hit"]'
    And "output.version" of the run is "1.5.0"
    And the log has "pass 1"
    When I call "svc artifact get {run} dist/greet.js --output -"
    Then standard output has "export const greet"

  @needs-git
  Scenario: a person approves a release
    Given the repository "notes" of the example "release"
    And the webhook "ci" runs the pipeline of "notes" with '{}'
    When the push of "notes" to "refs/tags/v2.1.0" reaches "ci" as "release"
    Then the run waits for "event" "release.approved"
    When I emit "release.approved" with '{"approved": false, "by": "bo"}'
    And I emit "release.approved" with '{"approved": true, "by": "eve"}'
    Then the pipeline "release" becomes "succeeded"
    And "output.released" of the run is "2.1.0"
    And "output.by" of the run is "eve"
    And the log has "publishing 2.1.0, approved by eve"
    When I call "svc artifact ls {run}"
    Then standard output has "release-2.1.0.tar"

  @needs-git
  Scenario: a monorepo builds only the parts that a push changed
    Given the repository "mono" of the example "monorepo"
    And the webhook "ci" runs the pipeline of "mono" with '{}'
    When somebody commits "web/index.html" to "mono":
      """
      <h1>web, again</h1>
      """
    And the push of "mono" to "refs/heads/main" reaches "ci" as "web"
    Then the pipeline "web" becomes "succeeded"
    And "output.built" of the run is "web succeeded, api skipped, docs skipped"

  @needs-git
  Scenario: a nightly job runs on a schedule
    Given the repository "words" of the example "nightly"
    And the schedule "nightly" of every second runs the pipeline of "words" with '{"MIRROR": "{folder}/repos/words"}'
    When the schedule "nightly" has ticked and is removed
    Then the run is "succeeded"
    And "output.lines" of the run is "1"
    And "output.due" of the run is "{due}"

  @needs-git
  Scenario: a newer push replaces an older deployment
    Given the repository "site" of the example "deployment"
    And the webhook "ci" runs the pipeline of "site" with '{}'
    When the push of "site" to "refs/heads/main" reaches "ci" as "first"
    Then the run waits for "event" "deploy.window"
    When somebody commits "site.txt" to "site":
      """
      v2
      """
    And the push of "site" to "refs/heads/main" reaches "ci" as "second"
    Then the pipeline "first" becomes "cancelled"
    When I look at the run "second"
    Then the run waits for "event" "deploy.window"
    When I emit "deploy.window"
    Then the pipeline "second" becomes "succeeded"
    And "output.deployed" of the run is "v2"

  @needs-git @needs-python3
  Scenario: Python tests run in a matrix with exclusions and inclusions
    Given the repository "slug" of the example "python-matrix"
    And the webhook "ci" runs the pipeline of "slug" with '{}'
    When the push of "slug" to "refs/heads/main" reaches "ci" as "tests"
    Then the pipeline "tests" becomes "succeeded"
    And "output.ran" of the run is '["unit -","slow -","slow _","slow ."]'

  @needs-git
  Scenario: a job uses another job's artifacts
    Given the repository "data" of the example "artifacts"
    And the webhook "ci" runs the pipeline of "data" with '{}'
    When the push of "data" to "refs/heads/main" reaches "ci" as "passed"
    Then the pipeline "passed" becomes "succeeded"
    And the outputs "sum" and "built" of the run are the same

  @needs-git
  Scenario: two pipelines share a database lock
    Given the repository "db" of the example "shared-lock"
    And the webhook "ci" runs the pipeline of "db" with '{"DATABASE": "{folder}"}'
    When the push of "db" to "refs/heads/main" reaches "ci" as "migrate"
    And I submit "{folder}/repos/db/backup.yml --env DATABASE={folder} --env REPO={folder}/repos/db" with the CLI as "backup"
    Then the pipeline "migrate" becomes "succeeded"
    And the pipeline "backup" becomes "succeeded"
    And the file "log" has 6 lines

  @needs-git
  Scenario: one deployment runs for each region, followed by a pipeline that checks them
    Given the repository "regions" of the example "fan-out"
    When I submit "{folder}/repos/regions/ci.yml" with the CLI as "regions"
    Then the pipeline "regions" becomes "succeeded"
    And "output.addresses" of the run is '["https://eu.example","https://us.example","https://asia.example"]'
    And "output.checked" of the run is "3"

  @needs-git
  Scenario: a pipeline has retries, timeouts and a cleanup that always runs
    Given the repository "flaky" of the example "cleanup"
    And the webhook "ci" runs the pipeline of "flaky" with '{"LEDGER": "{folder}"}'
    When the push of "flaky" to "refs/heads/main" reaches "ci" as "cleaned"
    Then the pipeline "cleaned" becomes "succeeded"
    And "output.states" of the run is "succeeded step_timeout step_failed"
    And the file "calls" has 3 lines
    And there is no file "resource"
