@contract
Feature: Nothing outside a workflow's folder is included

  Whoever submits somebody else's workflow sends files of its folder, and no other file of the machine.

  Scenario: paths, imports and links that point outside are rejected with the file's name
    Given a file "secret.json":
      """
      {"token": "not-for-you"}
      """
    And a file "theirs/ci.yml":
      """
      jobs: { a: { workflow: ../secret.json } }
      """
    And a file "theirs/job.mjs":
      """
      const { default: found } = await import(`../${['secret'][0]}.json`);
      console.log(found.token);
      """
    And a file "theirs/run.sh":
      """
      true
      """
    And a link "theirs/lnk" to ".."
    When I call "svc submit theirs/ci.yml"
    Then it exits with 2
    And standard error has "../secret.json is outside"
    When I call "svc submit theirs/job.mjs"
    Then it exits with 2
    And standard error has "secret.json is outside"
    When I call "svc submit theirs/run.sh --include lnk/secret.json"
    Then it exits with 2
    And standard error has "lnk/secret.json is outside"
    And standard error has "(include_outside)"
    Given a file "parent.sh":
      """
      svc spawn {folder}/theirs/job.mjs --tag spawned || svc output set refused=yes
      svc spawn {folder}/theirs/job.mjs --root {folder} --tag spawned
      """
    When I submit "parent.sh" with the CLI as "parent"
    Then the run succeeds
    And "output.refused" of the run is "yes"
    And the project comes to rest
    When I call "svc run theirs/job.mjs --root ."
    Then it exits with 0
    And standard output is "not-for-you"
