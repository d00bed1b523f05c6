Feature: svc artifact stores, lists, downloads and removes the files of a run

  Background:
    Given a file "site/index.html":
      """
      <h1>ready</h1>
      """
    And a file "site/css/main.css":
      """
      h1 { color: green }
      """
    When I submit the script "build.sh":
      """
      echo built
      """
    Then the run succeeds

  Rule: A folder is uploaded and downloaded as a whole

    @CLI-059
    Scenario: every file of a folder becomes an artifact and is downloaded unchanged
      When I call "svc artifact put {folder}/site --run {run}"
      Then it exits with 0
      And standard output is:
        """
        site/css/main.css
        site/index.html
        """
      When I call "svc artifact ls {run}"
      # @contract
      Then standard output matches "^site/index.html +15 +sha256:[0-9a-f]{64} "
      When I call "svc artifact get {run} --output {folder}/back"
      Then it exits with 0
      And the file "back/site/index.html" is the same as "site/index.html"
      And the file "back/site/css/main.css" is the same as "site/css/main.css"
      When I call "svc artifact get {run} site/index.html --output -"
      Then standard output is "<h1>ready</h1>"
      When I call "svc artifact get {run} site/css --output {folder}/part --json"
      Then standard output is JSON whose "artifacts.length" is "1"

    @CLI-059
    Scenario: artifact paths can have another prefix, and a single file can have any path
      When I call "svc artifact put {folder}/site --as . --run {run}"
      Then standard output is:
        """
        css/main.css
        index.html
        """
      When I call "svc artifact put {folder}/site/index.html --as docs/start.html --run {run} --json"
      # @contract
      Then standard output is JSON whose "artifacts.0.path" is "docs/start.html"
      When I call "svc artifact rm {run} docs/start.html"
      Then it exits with 0
      When I call "svc artifact get {run} docs/start.html"
      Then it exits with 1
      # @contract
      And standard error has "the run has no artifact docs/start.html"

  @contract
  Rule: No path or link reads or writes files outside the folder

    Scenario: links and paths that point outside are rejected, and nothing is stored
      Given a link "site/secrets" to "/etc/passwd"
      When I call "svc artifact put {folder}/site --run {run}"
      Then it exits with 1
      And standard error has "site/secrets is a symbolic link"
      When I call "svc artifact put {folder}/site/index.html --as ../index.html --run {run}"
      Then it exits with 1
      And standard error has "contains the name"
      When I call "svc artifact put {folder}/nowhere --run {run}"
      Then it exits with 1
      And standard error has "there is no file or folder"
      When I call "svc artifact put {folder}/site"
      Then it exits with 2
      When I call "svc artifact ls {run}"
      Then standard output is ""

    Scenario: a download does not follow links out of its folder
      When I call "svc artifact put {folder}/site --run {run}"
      Then it exits with 0
      Given a link "target/site" to "{folder}/outside"
      When I call "svc artifact get {run} --output {folder}/target"
      Then it exits with 1
      And standard error has "target/site is a symbolic link"
      And there is no file "outside/index.html"

  @contract
  Rule: An interrupted transfer resumes

    Scenario: an interrupted download resumes where it stopped
      Given a file "large.bin" of 9000000 bytes
      When I call "svc artifact put {folder}/large.bin --run {run}"
      Then it exits with 0
      Given the beginning of the artifact "large.bin" lies in "back" as an interrupted download left it
      When I call "svc artifact get {run} large.bin --output {folder}/back"
      Then it exits with 0
      And the file "back/large.bin" is the same as "large.bin"
