class Annals < Formula
  desc "Reads, checks, prices and shows the sessions that Claude Code keeps"
  homepage "@HOMEPAGE@"
  url "@URL@"
  version "@VERSION@"
  sha256 "@SHA256@"
  license any_of: ["MIT", "Apache-2.0"]

  def install
    bin.install "annals"
    man1.install "annals.1"
    bash_completion.install "completions/annals.bash" => "annals"
    zsh_completion.install "completions/_annals"
    fish_completion.install "completions/annals.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/annals --version")
  end
end
